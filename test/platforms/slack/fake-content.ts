import * as v from 'valibot';

/** The visible content of a message, from Slack's arguments: `text` is its Markdown, with tables as Markdown. */
export type VisibleContent = {
  text: string;
  /** Task cards: title, state and details, by id. */
  cards: Map<string, string>;
  /** The line above the text. */
  line: string[];
  /** Action ids of the controls. */
  buttons: string[];
  tables: number;
};

const plain = v.object({ type: v.literal('plain_text'), text: v.pipe(v.string(), v.minLength(1)) });
const button = { action_id: v.string(), value: v.pipe(v.string(), v.maxLength(2_000)) };
const label = v.object({ type: v.literal('plain_text'), text: v.pipe(v.string(), v.maxLength(75)) });

const styled = v.object({
  type: v.picklist(['text', 'link']),
  text: v.pipe(v.string(), v.minLength(1)),
  url: v.optional(v.pipe(v.string(), v.url())),
  style: v.optional(v.record(v.string(), v.boolean())),
});
const cell = v.variant('type', [
  v.strictObject({ type: v.literal('raw_text'), text: v.pipe(v.string(), v.minLength(1)) }),
  v.strictObject({
    type: v.literal('rich_text'),
    elements: v.array(v.object({ type: v.literal('rich_text_section'), elements: v.array(styled) })),
  }),
]);

const id = v.optional(v.pipe(v.string(), v.maxLength(255)));
const block = v.variant('type', [
  v.strictObject({ type: v.literal('markdown'), text: v.pipe(v.string(), v.minLength(1)) }),
  v.strictObject({ type: v.literal('context'), elements: v.pipe(v.array(plain), v.maxLength(10)) }),
  v.strictObject({
    type: v.literal('table'),
    rows: v.pipe(v.array(v.pipe(v.array(cell), v.maxLength(20))), v.minLength(1), v.maxLength(100)),
    column_settings: v.array(v.object({ align: v.string(), is_wrapped: v.boolean() })),
  }),
  v.strictObject({
    type: v.literal('actions'),
    block_id: id,
    elements: v.pipe(
      v.array(v.object({ type: v.literal('button'), text: label, ...button })),
      v.minLength(1),
      v.maxLength(25),
    ),
  }),
  v.strictObject({
    type: v.literal('context_actions'),
    block_id: id,
    elements: v.array(
      v.object({
        type: v.literal('feedback_buttons'),
        action_id: v.string(),
        positive_button: v.object({ text: label, value: v.string() }),
        negative_button: v.object({ text: label, value: v.string() }),
      }),
    ),
  }),
]);
const blocks = v.pipe(v.array(block), v.maxLength(50));

const chunks = v.array(
  v.variant('type', [
    v.object({ type: v.literal('markdown_text'), text: v.string() }),
    v.object({
      type: v.literal('task_update'),
      id: v.pipe(v.string(), v.minLength(1), v.maxLength(256)),
      title: v.pipe(v.string(), v.minLength(1), v.maxLength(256)),
      status: v.picklist(['pending', 'in_progress', 'complete', 'error']),
      details: v.optional(v.string()),
    }),
  ]),
);

type Block = v.InferOutput<typeof block>;
type Args = Readonly<Record<string, unknown>>;

/** Parses the content of a request. Throws Slack's error for content that Slack would refuse. */
export function visibleContent(args: Args): VisibleContent {
  const content: VisibleContent = { text: '', cards: new Map(), line: [], buttons: [], tables: 0 };
  const { markdown_text: markdown, blocks: list, text, chunks: pieces } = args;
  if (markdown !== undefined && (list ?? text ?? pieces) !== undefined)
    throw new Error('markdown_text_conflict');
  if (typeof text === 'string' && text.length > 4_000) throw new Error('msg_too_long');
  if (typeof text === 'string' && /<|>/.test(text)) throw new Error('a command in the fallback');
  if (typeof markdown === 'string') content.text = markdown;
  if (pieces !== undefined) readChunks(pieces, content);
  if (list !== undefined) readBlocks(list, content);
  if (content.text.length > 14_000) throw new Error('msg_too_long');
  return content;
}

function readChunks(value: unknown, content: VisibleContent): void {
  const parsed = v.safeParse(chunks, value);
  if (!parsed.success) throw new Error('invalid_chunks');
  for (const chunk of parsed.output) {
    if (chunk.type === 'markdown_text') content.text += chunk.text;
    else content.cards.set(chunk.id, [chunk.title, chunk.status, chunk.details].filter(Boolean).join(' / '));
  }
  if (content.text.length > 12_000) throw new Error('msg_too_long');
}

function readBlocks(value: unknown, content: VisibleContent): void {
  const parsed = v.safeParse(blocks, value);
  if (!parsed.success) throw new Error('invalid_blocks');
  const ids = parsed.output.flatMap((one) => ('block_id' in one ? [one.block_id] : []));
  if (new Set(ids).size < ids.length) throw new Error('invalid_blocks');
  let markdown = 0;
  for (const one of parsed.output) {
    if (one.type === 'markdown') markdown += one.text.length;
    readBlock(one, content);
  }
  if (markdown > 12_000) throw new Error('msg_blocks_too_long');
  if (content.tables > 1) throw new Error('invalid_attachments');
}

function readBlock(one: Block, content: VisibleContent): void {
  switch (one.type) {
    case 'markdown':
      content.text += `${content.text === '' ? '' : '\n'}${one.text}`;
      return;
    case 'table':
      content.tables += 1;
      content.text += `${content.text === '' ? '' : '\n'}${tableText(one)}\n`;
      return;
    case 'context':
      content.line.push(...one.elements.map((element) => element.text));
      return;
    case 'actions':
    case 'context_actions': {
      const actions = one.elements.map(({ action_id }) => action_id);
      if (new Set(actions).size < actions.length) throw new Error('invalid_blocks');
      content.buttons.push(...actions);
    }
  }
}

/** The table as Markdown, with plain cells. */
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
