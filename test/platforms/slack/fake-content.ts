import * as z from 'zod/mini';

/** What a message shows, of Slack's arguments: `text` is its Markdown, tables written out again. */
export type Given = {
  text: string;
  /** Task cards: title, state and details, by id. */
  cards: Map<string, string>;
  /** The line above the words. */
  line: string[];
  /** Action ids of what can be pressed. */
  buttons: string[];
  tables: number;
};

const plain = z.object({ type: z.literal('plain_text'), text: z.string().check(z.minLength(1)) });
const button = { action_id: z.string(), value: z.string().check(z.maxLength(2_000)) };
const label = z.object({ type: z.literal('plain_text'), text: z.string().check(z.maxLength(75)) });

const styled = z.object({
  type: z.enum(['text', 'link']),
  text: z.string().check(z.minLength(1)),
  url: z.optional(z.url()),
  style: z.optional(z.record(z.string(), z.boolean())),
});
const cell = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('raw_text'), text: z.string().check(z.minLength(1)) }),
  z.strictObject({
    type: z.literal('rich_text'),
    elements: z.array(z.object({ type: z.literal('rich_text_section'), elements: z.array(styled) })),
  }),
]);

const id = z.optional(z.string().check(z.maxLength(255)));
const block = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('markdown'), text: z.string().check(z.minLength(1)) }),
  z.strictObject({ type: z.literal('context'), elements: z.array(plain).check(z.maxLength(10)) }),
  z.strictObject({
    type: z.literal('table'),
    rows: z.array(z.array(cell).check(z.maxLength(20))).check(z.minLength(1), z.maxLength(100)),
    column_settings: z.array(z.object({ align: z.string(), is_wrapped: z.boolean() })),
  }),
  z.strictObject({
    type: z.literal('actions'),
    block_id: id,
    elements: z
      .array(z.object({ type: z.literal('button'), text: label, ...button }))
      .check(z.minLength(1), z.maxLength(25)),
  }),
  z.strictObject({
    type: z.literal('context_actions'),
    block_id: id,
    elements: z.array(
      z.object({
        type: z.literal('feedback_buttons'),
        action_id: z.string(),
        positive_button: z.object({ text: label, value: z.string() }),
        negative_button: z.object({ text: label, value: z.string() }),
      }),
    ),
  }),
]);
const blocks = z.array(block).check(z.maxLength(50));

const chunks = z.array(
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('markdown_text'), text: z.string() }),
    z.object({
      type: z.literal('task_update'),
      id: z.string().check(z.minLength(1), z.maxLength(256)),
      title: z.string().check(z.minLength(1), z.maxLength(256)),
      status: z.enum(['pending', 'in_progress', 'complete', 'error']),
      details: z.optional(z.string()),
    }),
  ]),
);

type Block = z.infer<typeof block>;
type Args = Readonly<Record<string, unknown>>;

/** Reads what a call shows. Throws what Slack answers to what it would refuse. */
export function given(args: Args): Given {
  const shown: Given = { text: '', cards: new Map(), line: [], buttons: [], tables: 0 };
  const { markdown_text: markdown, blocks: list, text, chunks: pieces } = args;
  if (markdown !== undefined && (list ?? text ?? pieces) !== undefined)
    throw new Error('markdown_text_conflict');
  if (typeof text === 'string' && text.length > 4_000) throw new Error('msg_too_long');
  if (typeof text === 'string' && /<|>/.test(text)) throw new Error('a command in the fallback');
  if (typeof markdown === 'string') shown.text = markdown;
  if (pieces !== undefined) readChunks(pieces, shown);
  if (list !== undefined) readBlocks(list, shown);
  if (shown.text.length > 14_000) throw new Error('msg_too_long');
  return shown;
}

function readChunks(value: unknown, shown: Given): void {
  const parsed = chunks.safeParse(value);
  if (!parsed.success) throw new Error('invalid_chunks');
  for (const chunk of parsed.data) {
    if (chunk.type === 'markdown_text') shown.text += chunk.text;
    else shown.cards.set(chunk.id, [chunk.title, chunk.status, chunk.details].filter(Boolean).join(' / '));
  }
  if (shown.text.length > 12_000) throw new Error('msg_too_long');
}

function readBlocks(value: unknown, shown: Given): void {
  const parsed = blocks.safeParse(value);
  if (!parsed.success) throw new Error('invalid_blocks');
  const ids = parsed.data.flatMap((one) => ('block_id' in one ? [one.block_id] : []));
  if (new Set(ids).size < ids.length) throw new Error('invalid_blocks');
  let markdown = 0;
  for (const one of parsed.data) {
    if (one.type === 'markdown') markdown += one.text.length;
    readBlock(one, shown);
  }
  if (markdown > 12_000) throw new Error('msg_blocks_too_long');
  if (shown.tables > 1) throw new Error('invalid_attachments');
}

function readBlock(one: Block, shown: Given): void {
  switch (one.type) {
    case 'markdown':
      shown.text += `${shown.text === '' ? '' : '\n'}${one.text}`;
      return;
    case 'table':
      shown.tables += 1;
      shown.text += `${shown.text === '' ? '' : '\n'}${tableText(one)}\n`;
      return;
    case 'context':
      shown.line.push(...one.elements.map((element) => element.text));
      return;
    case 'actions':
    case 'context_actions': {
      const actions = one.elements.map(({ action_id }) => action_id);
      if (new Set(actions).size < actions.length) throw new Error('invalid_blocks');
      shown.buttons.push(...actions);
    }
  }
}

/** The table as Markdown, its cells without marks. */
function tableText({ rows }: Extract<Block, { type: 'table' }>): string {
  const lines = rows.map((cells) => {
    const words = cells.map((one) =>
      one.type === 'raw_text'
        ? one.text.trim()
        : one.elements.flatMap(({ elements }) => elements.map(({ text }) => text)).join(''),
    );
    return `| ${words.join(' | ')} |`;
  });
  const dashes = `|${' --- |'.repeat(rows[0]?.length ?? 0)}`;
  return [lines[0], dashes, ...lines.slice(1)].join('\n');
}
