import { isJson, type Json, stringOf } from './state.ts';
import { checkMenu } from './inputs.ts';
import { isText, lengthOf, refuse } from './texts.ts';

const SELECTS = [
  'static_select',
  'external_select',
  'users_select',
  'conversations_select',
  'channels_select',
];
const INPUTS = ['checkboxes', 'datepicker', 'datetimepicker', 'overflow', 'radio_buttons', 'timepicker'];
const CHOICES = [...SELECTS, ...SELECTS.map((name) => `multi_${name}`), ...INPUTS, 'workflow_button'];

/** The elements that each block may contain (@slack/types 3.2). */
const ALLOWED: Readonly<Record<string, ReadonlySet<string>>> = {
  actions: new Set(['button', 'rich_text_input', ...CHOICES]),
  context: new Set(['plain_text', 'mrkdwn', 'image']),
  context_actions: new Set(['feedback_buttons', 'icon_button']),
  section: new Set(['button', 'image', ...CHOICES]),
};

const LABEL = 75;
const VALUE = 2_000;
const ID = 255;

/** Refuses elements that Slack would refuse in this block: type, labels, values, a repeated `action_id`. */
export function checkElements(block: string, elements: readonly Json[], where: string): void {
  const ids = new Set<string>();
  for (const [index, element] of elements.entries()) {
    const at = `${where}/elements/${index}`;
    const type = stringOf(element['type']);
    if (!ALLOWED[block]?.has(type)) refuse(at, `unsupported type: ${type}`);
    checkActionId(element, at, ids);
    if (element['confirm'] !== undefined) checkConfirm(element['confirm'], `${at}/confirm`);
    checkElement(type, element, at);
  }
}

function checkElement(type: string, element: Json, at: string): void {
  if (type === 'plain_text' || type === 'mrkdwn') {
    const length = lengthOf(element);
    if (length < 1 || length > 3_000) refuse(at, 'must be 1 to 3000 characters');
  }
  if (type === 'button' || type === 'icon_button') checkButton(element, at);
  if (type === 'static_select') checkMenu(element, at);
  if (type === 'image' && typeof element['alt_text'] !== 'string')
    refuse(at, 'missing required field: alt_text');
  if (type === 'feedback_buttons') {
    for (const name of ['positive_button', 'negative_button']) {
      const thumb = element[name];
      if (!isJson(thumb) || typeof thumb['value'] !== 'string') refuse(at, `missing required field: ${name}`);
      checkButton(thumb, at);
    }
  }
}

/** The most characters of each text of a confirmation dialog. Source: docs.slack.dev/reference/block-kit/composition-objects. */
const CONFIRM_TEXTS = { title: 100, text: 300, confirm: 30, deny: 30 } as const;

function checkConfirm(dialog: unknown, at: string): void {
  if (!isJson(dialog)) refuse(at, 'must be an object');
  for (const [name, most] of Object.entries(CONFIRM_TEXTS)) {
    const { [name]: value } = dialog;
    // Only the explanation may be mrkdwn.
    if (!isText(value, name === 'text' ? undefined : 'plain_text'))
      refuse(at, `missing required field: ${name}`);
    if (lengthOf(value) < 1 || lengthOf(value) > most) refuse(at, `${name} must be 1 to ${most} characters`);
  }
  checkStyle(dialog, at);
}

function checkActionId(element: Json, at: string, ids: Set<string>): void {
  const id = element['action_id'];
  if (id === undefined || id === '') return;
  if (typeof id !== 'string' || id.length > ID) refuse(at, `action_id must be at most ${ID} characters`);
  if (ids.has(id)) refuse(at, `"action_id" already exists: ${id}`);
  ids.add(id);
}

function checkButton(button: Json, at: string): void {
  const { text, value, url, accessibility_label: label } = button;
  if (!isText(text, 'plain_text')) refuse(at, 'missing required field: text');
  const length = lengthOf(text);
  if (length < 1 || length > LABEL) refuse(at, `text must be 1 to ${LABEL} characters`);
  if (value !== undefined && (typeof value !== 'string' || value.length > VALUE))
    refuse(at, `value must be at most ${VALUE} characters`);
  checkStyle(button, at);
  if (url !== undefined && (typeof url !== 'string' || url.length > 3_000))
    refuse(at, 'url must be an address');
  if (label !== undefined && (typeof label !== 'string' || label.length > LABEL))
    refuse(at, `accessibility_label must be at most ${LABEL} characters`);
}

function checkStyle({ style }: Json, at: string): void {
  if (style !== undefined && style !== 'primary' && style !== 'danger')
    refuse(at, 'style must be primary or danger');
}
