import { checkElements } from './elements.ts';
import { checkInput } from './inputs.ts';
import { isJson, type Json, stringOf } from './state.ts';
import { isText, lengthOf, refuse, textOf } from './texts.ts';
import { RefusalError } from './context.ts';

const MARKDOWN_LIMIT = 12_000;
/**
 * The texts of all blocks of a message together. Slack documents no number; people were refused above about 13,200 characters of Markdown,
 * sections and headers (slackapi/bolt-js#2509), and at 11,341 where rich text was among them (#2867).
 */
const TEXTS_LIMIT = 13_200;
const TEXTS_LIMIT_WITH_RICH_TEXT = 11_300;
/** The maximum number of characters in all cells of all tables of a message. */
const CELLS_LIMIT = 10_000;
const TABLE_COLUMNS = 20;

/**
 * Refuses blocks that Slack would refuse, as far as its documents (@slack/types 3.2) and the reports of others tell:
 * more than 50, unknown types, missing or too long texts and lists, an id used twice, a second table.
 * Errors: `msg_blocks_too_many` or `invalid_blocks` (by method), `invalid_attachments`,
 * `invalid_blocks`, each with the reason in `response_metadata.messages`.
 */
export function checkBlocks(blocks: readonly Json[], tooMany = 'invalid_blocks', maxBlocks = 50): void {
  if (blocks.length > maxBlocks) throw new RefusalError(tooMany);
  const ids = new Set<string>();
  for (const [index, block] of blocks.entries()) {
    const where = `/blocks/${index}`;
    const type = stringOf(block['type']);
    const check = Object.hasOwn(CHECKS, type) ? CHECKS[type] : undefined;
    if (!check) refuse(where, `unsupported type: ${type}`);
    checkId(block, where, ids);
    check(block, where);
  }
  checkTables(blocks);
}

/** Refuses the blocks of a message as `checkBlocks` does, and with `msg_blocks_too_long` those whose texts are too long together. */
export function checkMessageBlocks(blocks: readonly Json[], tooMany?: string): void {
  checkBlocks(blocks, tooMany);
  const markdown = blocks.filter(({ type }) => type === 'markdown');
  const limit = hasRichText(blocks) ? TEXTS_LIMIT_WITH_RICH_TEXT : TEXTS_LIMIT;
  if (textsLength(markdown) > MARKDOWN_LIMIT || textsLength(blocks) > limit)
    throw new RefusalError('msg_blocks_too_long');
}

/** The characters of all fields `text`, as in the measurements of slackapi/bolt-js#2867. The entries of menus are not shown in the message. */
function textsLength(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + textsLength(one), 0);
  if (!isJson(value)) return 0;
  return Object.entries(value).reduce((sum, [name, one]) => {
    if (name === 'text' && typeof one === 'string') return sum + one.length;
    return MENU_FIELDS.has(name) ? sum : sum + textsLength(one);
  }, 0);
}

const MENU_FIELDS = new Set(['options', 'initial_option', 'confirm', 'placeholder']);

function hasRichText(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasRichText);
  return isJson(value) && (value['type'] === 'rich_text' || Object.values(value).some(hasRichText));
}

function checkId(block: Json, where: string, ids: Set<string>): void {
  const id = block['block_id'];
  if (id === undefined || id === '') return;
  if (typeof id !== 'string' || id.length > 255) refuse(where, 'block_id must be at most 255 characters');
  if (ids.has(id)) refuse(where, `"block_id" already exists: ${id}`);
  ids.add(id);
}

/** One table per message, and 10,000 characters in it: neither is in the types, both are reported by many. */
function checkTables(blocks: readonly Json[]): void {
  const inside = blocks.flatMap(({ child_blocks: children }) => (Array.isArray(children) ? children : []));
  const tables = [...blocks, ...inside].filter(
    (one) => isJson(one) && (one['type'] === 'table' || one['type'] === 'data_table'),
  );
  if (tables.length > 1) {
    throw new RefusalError('invalid_attachments', {
      response_metadata: { messages: ['[ERROR] only_one_table_allowed'] },
    });
  }
  const cells = tables.flatMap((table) =>
    isJson(table) && Array.isArray(table['rows']) ? table['rows'] : [],
  );
  const total = cells.flat().reduce<number>((sum, cell) => sum + cellLength(cell), 0);
  if (total > CELLS_LIMIT)
    refuse('/blocks', `table cells hold ${total} characters, more than ${CELLS_LIMIT}`);
}

type Check = (block: Json, where: string) => void;

const nothing: Check = () => undefined;

/** The required content of each block type. */
const CHECKS: Readonly<Record<string, Check>> = {
  actions: (block, where) => checkElements('actions', list(block, where, 'elements', 1, 25), where),
  alert: (block, where) => needText(block, where, 'text', 3_000),
  card: nothing,
  carousel: (block, where) => void list(block, where, 'elements', 1, 10),
  container: (block, where) => void list(block, where, 'child_blocks', 1, 10),
  context: (block, where) => checkElements('context', list(block, where, 'elements', 1, 10), where),
  context_actions: (block, where) =>
    checkElements('context_actions', list(block, where, 'elements', 1, 5), where),
  data_table: (block, where) => checkRows(block, where, 101),
  divider: nothing,
  file: nothing,
  header: (block, where) => needText(block, where, 'text', 150, 'plain_text'),
  image: checkImage,
  input: (block, where) => {
    needText(block, where, 'label', 2_000, 'plain_text');
    checkInput(block['element'], `${where}/element`);
  },
  markdown: (block, where) => {
    if (typeof block['text'] !== 'string' || block['text'] === '')
      refuse(where, 'missing required field: text');
  },
  plan: checkPlan,
  rich_text: checkRichText,
  section: checkSection,
  table: (block, where) => checkRows(block, where, 100),
  task_card: checkTask,
  video: (block, where) =>
    refuse(where, `video_url is on no domain of this app: ${stringOf(block['video_url'])}`),
};

function list(block: Json, where: string, name: string, least: number, max: number): Json[] {
  const value = block[name];
  if (!Array.isArray(value) || value.length < least || value.length > max)
    refuse(`${where}/${name}`, `must be a list of ${least} to ${max}`);
  return value.map((entry) => (isJson(entry) ? entry : refuse(`${where}/${name}`, 'must be objects')));
}

function needText(block: Json, where: string, name: string, max: number, type?: 'plain_text'): void {
  const text = block[name];
  if (!isText(text, type)) refuse(`${where}/${name}`, 'must be a text object');
  const length = lengthOf(text);
  if (length < 1 || length > max) refuse(`${where}/${name}`, `must be 1 to ${max} characters`);
}

function checkSection(block: Json, where: string): void {
  if (block['text'] === undefined && block['fields'] === undefined)
    refuse(where, 'missing required field: text');
  if (block['text'] !== undefined) needText(block, where, 'text', 3_000);
  if (block['fields'] !== undefined) {
    for (const field of list(block, where, 'fields', 1, 10)) needText({ field }, where, 'field', 2_000);
  }
  if (block['accessory'] !== undefined) {
    if (!isJson(block['accessory'])) refuse(where, 'accessory must be an object');
    checkElements('section', [block['accessory']], where);
  }
}

function checkImage(block: Json, where: string): void {
  const { alt_text: alt, image_url: url, slack_file: file } = block;
  if (typeof alt !== 'string' || alt.length > 2_000) refuse(where, 'missing required field: alt_text');
  if (!isJson(file) && (typeof url !== 'string' || !/^https?:\/\//.test(url)))
    refuse(where, 'missing image_url');
}

function checkRows(block: Json, where: string, maxRows: number): void {
  const rows = block['rows'];
  if (!Array.isArray(rows) || rows.length === 0 || rows.length > maxRows)
    refuse(`${where}/rows`, `must be 1 to ${maxRows} rows`);
  for (const row of rows) {
    if (!Array.isArray(row) || row.length === 0 || row.length > TABLE_COLUMNS)
      refuse(`${where}/rows`, `must be rows of 1 to ${TABLE_COLUMNS} cells`);
    // An empty cell is refused too; people send a space.
    for (const cell of row)
      if (cellLength(cell) === 0) refuse(`${where}/rows`, 'must be more than 0 characters');
  }
  const settings = block['column_settings'];
  if (settings !== undefined && (!Array.isArray(settings) || settings.length > TABLE_COLUMNS))
    refuse(where, 'too many column_settings');
}

/** The characters of a cell; refuses a malformed one. */
function cellLength(cell: unknown): number {
  if (!isJson(cell)) return refuse('/rows', 'a cell must be an object');
  if (cell['type'] === 'raw_number' && typeof cell['value'] !== 'number') return 0;
  if (cell['type'] === 'raw_text' || cell['type'] === 'raw_number') return lengthOf(cell);
  if (cell['type'] !== 'rich_text')
    return refuse('/rows', `unsupported type of cell: ${stringOf(cell['type'])}`);
  checkRichText(cell, '/rows');
  return richLength(cell);
}

function richLength(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + richLength(one), 0);
  if (!isJson(value)) return 0;
  if (value['elements'] !== undefined) return richLength(value['elements']);
  return textOf(value)?.length ?? 1;
}

const RICH = new Set(['rich_text_section', 'rich_text_list', 'rich_text_preformatted', 'rich_text_quote']);

function checkRichText(block: Json, where: string): void {
  for (const { type, elements } of list(block, where, 'elements', 1, 1_000)) {
    if (!RICH.has(stringOf(type)) || !Array.isArray(elements))
      refuse(`${where}/elements`, 'must be rich text');
    for (const one of elements) {
      if (isJson(one) && one['type'] === 'text' && (textOf(one) ?? '') === '')
        refuse(`${where}/elements`, 'must be more than 0 characters');
    }
  }
}

const STATUSES = new Set(['pending', 'in_progress', 'complete', 'error']);

function checkTask(block: Json, where: string): void {
  const { task_id: id, title, status, details, output } = block;
  if (typeof id !== 'string' || id === '') refuse(where, 'missing required field: task_id');
  if (typeof title !== 'string' || title === '') refuse(where, 'missing required field: title');
  if (!STATUSES.has(stringOf(status))) refuse(where, 'missing required field: status');
  for (const rich of [details, output]) {
    if (rich === undefined) continue;
    if (!isJson(rich) || rich['type'] !== 'rich_text') refuse(where, 'must be rich text');
    checkRichText(rich, where);
  }
}

function checkPlan(block: Json, where: string): void {
  if (typeof block['title'] !== 'string' || block['title'] === '')
    refuse(where, 'missing required field: title');
  if (block['tasks'] !== undefined)
    for (const task of list(block, where, 'tasks', 0, 50)) checkTask(task, where);
}
