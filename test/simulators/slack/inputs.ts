import { isJson, type Json, stringOf } from './state.ts';
import { isText, lengthOf, refuse } from './texts.ts';

const PLACEHOLDER = 150;
const OPTIONS = 100;
const OPTION = 75;
const OPTION_VALUE = 150;
const MAX_LENGTH = 3_000;

/** The input types of the simulator; only the first two can be filled in. */
const INPUTS = new Set([
  'plain_text_input',
  'static_select',
  'checkboxes',
  'datepicker',
  'email_text_input',
  'external_select',
  'file_input',
  'multi_static_select',
  'number_input',
  'radio_buttons',
  'rich_text_input',
  'timepicker',
  'url_text_input',
  'users_select',
]);

/** Refuses an input that Slack would refuse (docs.slack.dev/reference/block-kit/block-elements). */
export function checkInput(element: unknown, where: string): void {
  if (!isJson(element)) refuse(where, 'must be an object');
  const type = stringOf(element['type']);
  if (!INPUTS.has(type)) refuse(where, `unsupported type: ${type}`);
  if (stringOf(element['action_id']).length > 255) refuse(where, 'action_id must be at most 255 characters');
  if (type === 'static_select') checkMenu(element, where);
  if (type === 'plain_text_input') checkText(element, where);
}

/**
 * Refuses an invalid select menu: 1 to 100 options, each with a text of at most 75 and a value of at most 150
 * characters, and no repeated value.
 */
export function checkMenu(element: Json, where: string): void {
  checkPlaceholder(element, where);
  const { options, option_groups: groups, initial_option: initial } = element;
  if (options === undefined && groups !== undefined) return;
  if (!Array.isArray(options) || options.length === 0 || options.length > OPTIONS)
    refuse(`${where}/options`, `must be a list of 1 to ${OPTIONS}`);
  const ids = new Set<string>();
  for (const [n, option] of options.entries()) {
    const at = `${where}/options/${n}`;
    if (!isJson(option)) refuse(at, 'must be an object');
    checkOption(option, at);
    const value = stringOf(option['value']);
    if (ids.has(value)) refuse(at, `"value" already exists: ${value}`);
    ids.add(value);
  }
  if (initial === undefined) return;
  // Slack compares the whole option, its description too.
  const isOption = options.some((option) => JSON.stringify(option) === JSON.stringify(initial));
  if (!isOption) refuse(`${where}/initial_option`, 'must be one of the options');
}

function checkOption(option: Json, at: string): void {
  const { text, value, description } = option;
  if (!isText(text, 'plain_text')) refuse(`${at}/text`, 'must be plain_text');
  const length = lengthOf(text);
  if (length < 1 || length > OPTION) refuse(`${at}/text`, `must be 1 to ${OPTION} characters`);
  if (typeof value !== 'string' || value === '' || value.length > OPTION_VALUE)
    refuse(`${at}/value`, `must be 1 to ${OPTION_VALUE} characters`);
  if (description === undefined) return;
  if (!isText(description, 'plain_text') || lengthOf(description) < 1 || lengthOf(description) > OPTION)
    refuse(`${at}/description`, `must be 1 to ${OPTION} characters`);
}

function checkText(element: Json, where: string): void {
  checkPlaceholder(element, where);
  const { max_length: maxLength = MAX_LENGTH, min_length: least = 0, initial_value: initial = '' } = element;
  if (typeof maxLength !== 'number' || maxLength < 1 || maxLength > MAX_LENGTH)
    refuse(`${where}/max_length`, `must be 1 to ${MAX_LENGTH}`);
  if (typeof least !== 'number' || least < 0 || least > maxLength)
    refuse(`${where}/min_length`, 'is too large');
  if (typeof initial !== 'string' || initial.length > maxLength)
    refuse(`${where}/initial_value`, 'is longer than max_length');
}

function checkPlaceholder({ placeholder }: Json, where: string): void {
  if (placeholder === undefined) return;
  if (!isText(placeholder, 'plain_text') || lengthOf(placeholder) < 1 || lengthOf(placeholder) > PLACEHOLDER)
    refuse(`${where}/placeholder`, `must be 1 to ${PLACEHOLDER} characters`);
}
