import type { Json } from './state.ts';
import { Refusal } from './world.ts';

/** Block types that a bot may send in a message (@slack/types 3.2). */
const KNOWN = new Set([
  'actions',
  'alert',
  'card',
  'carousel',
  'container',
  'context',
  'context_actions',
  'data_table',
  'divider',
  'file',
  'header',
  'image',
  'input',
  'markdown',
  'plan',
  'rich_text',
  'section',
  'table',
  'task_card',
  'video',
]);

/** How many entries the lists of a block may have, by block type and property. */
const MOST: Readonly<Record<string, readonly [string, number]>> = {
  section: ['fields', 10],
  actions: ['elements', 25],
  context: ['elements', 10],
  context_actions: ['elements', 5],
  table: ['rows', 100],
  data_table: ['rows', 101],
};

const TABLE_COLUMNS = 20;
const MARKDOWN_LIMIT = 12_000;
const TEXT_LIMIT: Readonly<Record<string, number>> = { section: 3_000, header: 150 };

/**
 * Refuses blocks that Slack would refuse, as far as its documents give a limit: more than 50 blocks,
 * unknown types, texts, lists and tables too long, an id used twice.
 * Errors: `msg_blocks_too_many` or `invalid_blocks` (by method), `msg_blocks_too_long`, `invalid_blocks`.
 */
export function checkBlocks(blocks: readonly Json[], tooMany = 'invalid_blocks'): void {
  if (blocks.length > 50) throw new Refusal(tooMany);
  const ids = new Set<string>();
  let markdown = 0;
  for (const block of blocks) {
    const type = block['type'];
    if (typeof type !== 'string' || !KNOWN.has(type)) throw new Refusal('invalid_blocks');
    const id = block['block_id'];
    if (typeof id === 'string' && id !== '') {
      if (ids.has(id) || id.length > 255) throw new Refusal('invalid_blocks');
      ids.add(id);
    }
    if (type === 'markdown') markdown += markdownLength(block);
    checkText(type, block);
    checkLists(type, block);
  }
  if (markdown > MARKDOWN_LIMIT) throw new Refusal('msg_blocks_too_long');
}

function markdownLength(block: Json): number {
  const text = block['text'];
  if (typeof text !== 'string' || text === '') throw new Refusal('invalid_blocks');
  return text.length;
}

function checkText(type: string, block: Json): void {
  const limit = TEXT_LIMIT[type];
  if (limit === undefined) return;
  const text = textOf(block['text']);
  if (text === undefined && type === 'section' && Array.isArray(block['fields'])) return;
  if (text === undefined || text === '' || text.length > limit) throw new Refusal('invalid_blocks');
}

function checkLists(type: string, block: Json): void {
  const rule = MOST[type];
  if (!rule) return;
  const [name, most] = rule;
  const list = block[name];
  if (list === undefined && type === 'section') return;
  if (!Array.isArray(list) || list.length === 0 || list.length > most) throw new Refusal('invalid_blocks');
  for (const entry of list) {
    if (type === 'section' && (textOf(entry)?.length ?? 0) > 2_000) throw new Refusal('invalid_blocks');
    if (name === 'rows' && (!Array.isArray(entry) || entry.length > TABLE_COLUMNS))
      throw new Refusal('invalid_blocks');
    if (type === 'actions' && buttonLabel(entry) > 75) throw new Refusal('invalid_blocks');
  }
}

/** The words of a text object; undefined if it is none. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('text' in value)) return undefined;
  return typeof value.text === 'string' ? value.text : undefined;
}

function buttonLabel(element: unknown): number {
  if (typeof element !== 'object' || element === null || !('text' in element)) return 0;
  return textOf(element.text)?.length ?? 0;
}
