import { type Card, formatMention, threadKey, type TurnRef } from '../domain/index.ts';
import { type Locale, localize } from '../i18n/index.ts';
import { ToolError, type ToolResult } from '../ports/index.ts';
import type { ProposedCall, StoredTool } from '../storage/index.ts';
import { toVisibleText } from '../utils/index.ts';
import type { ToolsContext } from './context.ts';

/** Most characters of the arguments, and of the result, on a card. */
const MAX_SHOWN_LENGTH = 1_500;

type ProposedTool = {
  readonly server: string;
  readonly tool: StoredTool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly locale: Locale;
};

/** Stores a call, and posts the card on which the person decides. The same request of the model has one card, also in a later attempt. */
export async function proposeCall(
  turn: TurnRef,
  { server, tool, args, locale }: ProposedTool,
  { toolServers: { calls }, messenger }: Pick<ToolsContext, 'toolServers' | 'messenger'>,
): Promise<ToolResult> {
  const { thread, message, asker } = turn;
  const readable = JSON.stringify(args, undefined, 2);
  // What people cannot see whole, they cannot decide about.
  if (readable.length > MAX_SHOWN_LENGTH || toVisibleText(readable, MAX_SHOWN_LENGTH) !== readable)
    throw new ToolError(
      'The arguments are too long or have invisible characters: the person could not read them.',
    );
  const requestKey = [threadKey(thread), message, server, tool.name, JSON.stringify(args)].join('\n');
  const call = await calls.create(requestKey, {
    thread,
    by: asker,
    server,
    tool: tool.name,
    args,
    question: message,
  });
  if (call.state === 'proposed' && call.card === undefined) {
    const card = createCallCard(call, { locale, isDestructive: tool.isDestructive });
    const options = { keepsExisting: true };
    await calls.noteCard(call, await messenger.postCard(thread, card, `tool-${call.id}`, undefined, options));
  }
  return {
    content:
      'A card in the thread shows this call and its arguments, with the buttons Run and Cancel. Nothing has happened yet. Only the person decides, and the result appears on the card. Tell them so in a sentence; do not say that it is done.',
    summary: localize(locale, 'tools.proposed'),
    outcome: 'proposed',
  };
}

type CardOptions = {
  readonly locale: Locale;
  readonly isDestructive?: boolean;
  /** The text that the server gave back. */
  readonly result?: string | undefined;
  /** Why it failed. */
  readonly failure?: string | undefined;
};

const TONES = {
  proposed: undefined,
  cancelled: undefined,
  running: 'working',
  done: 'good',
  failed: 'bad',
  unknown: 'bad',
} as const;

/** The card of a call: what will be sent, who decides, and how it ended. */
export function createCallCard(call: ProposedCall, options: CardOptions): Card {
  const { server, tool, args, state } = call;
  const { locale, result, failure } = options;
  return {
    title: localize(locale, 'tools.card.title', { server, tool }),
    tone: TONES[state],
    parts: [
      paragraph(fenced(JSON.stringify(args, undefined, 2))),
      ...(failure === undefined ? [] : [paragraph(failure)]),
      ...(state === 'proposed'
        ? decisionParts(call, options)
        : [paragraph(localize(locale, `tools.card.state.${state}`, { server }))]),
      ...(result === undefined || result.trim() === '' ? [] : [paragraph(fenced(result))]),
    ],
  };
}

function decisionParts(
  { id, by }: ProposedCall,
  { locale, isDestructive = false }: CardOptions,
): Card['parts'] {
  const warning = isDestructive ? [localize(locale, 'tools.card.destructive')] : [];
  const note = localize(locale, 'tools.card.note', { person: formatMention(by) });
  const button = (name: 'run' | 'cancel', style?: 'primary' | 'danger') => ({
    kind: 'button' as const,
    label: localize(locale, `tools.card.${name}`),
    action: { name: `tools.${name}`, args: [id] },
    style,
  });
  return [
    { kind: 'note', markdown: [...warning, note].join(' '), people: [by] },
    { kind: 'controls', controls: [button('run', isDestructive ? 'danger' : 'primary'), button('cancel')] },
  ];
}

const paragraph = (markdown: string) => ({ kind: 'text', markdown }) as const;

/** A text of strangers as a code block, which it cannot end: nothing in it is a link, a mention or a layout. */
const fenced = (text: string): string =>
  `\`\`\`\n${toVisibleText(text, MAX_SHOWN_LENGTH).replaceAll('`', 'ˋ')}\n\`\`\``;
