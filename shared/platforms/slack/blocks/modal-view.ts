import * as v from 'valibot';
import {
  type CardAction,
  actionText,
  type ModalForm,
  type ModalField,
  type Interaction,
  parseAction,
} from '../../../domain/index.ts';
import { cut, renderOptions, plainText } from './card-blocks.ts';
import type { Json } from './table-block.ts';
import { id, isOrganisation, ts } from '../oauth/installation.ts';

/** By this id the front recognizes a submission of our modals. */
export const MODAL_CALLBACK_ID = 'form';

/** Slack's limits of a modal. */
const TITLE = 24;
const LABEL = 2_000;
const PLACEHOLDER = 150;
const MAX_INPUT_LENGTH = 3_000;
const METADATA = 3_000;

/** Where a form came from, kept in it: its sending is answered there. */
const origin = v.object({
  a: v.string(),
  c: v.optional(id),
  r: v.optional(ts),
  /** 1: the thread is not known to have replies. */
  n: v.optional(v.literal(1)),
  t: v.optional(v.string(), ''),
  e: v.optional(id),
});

export type ModalOrigin = {
  readonly action: CardAction;
  readonly channel?: string | undefined;
  readonly root?: string | undefined;
  readonly noReplies: boolean;
  readonly ticket: string;
  /** The organisation that has the app for all its workspaces, if it was opened in such. */
  readonly organisation?: string | undefined;
};

/** A form as a modal, for `views.open`. */
export function renderModalView(form: ModalForm, invocation: Interaction): Json {
  const { workspace, channel, thread, noReplies, ticket } = invocation;
  const place = {
    a: actionText(form.action),
    ...(isOrganisation(workspace) && { e: workspace }),
    ...(channel && { c: channel }),
    ...(thread && { r: thread.root }),
    ...(noReplies && { n: 1 }),
  };
  const whole = JSON.stringify({ ...place, t: ticket });
  return {
    type: 'modal',
    callback_id: MODAL_CALLBACK_ID,
    title: plainText(form.title, TITLE),
    submit: plainText(form.submit, TITLE),
    // The ticket alone can be long. Without it, the answer comes as a message of its own.
    private_metadata: whole.length <= METADATA ? whole : JSON.stringify(place),
    blocks: form.fields.map(drawField),
  };
}

function drawField(field: ModalField): Json {
  return {
    type: 'input',
    block_id: field.id,
    label: plainText(field.label, LABEL),
    optional: field.optional === true,
    element: element(field),
  };
}

function element(field: ModalField): Json {
  const hint = field.hint ? { placeholder: plainText(field.hint, PLACEHOLDER) } : {};
  if (field.kind === 'choice') {
    const options = renderOptions(field.options);
    const initial = options.find(({ value }) => value === field.value);
    return {
      type: 'static_select',
      action_id: 'value',
      options,
      ...(initial ? { initial_option: initial } : {}),
      ...hint,
    };
  }
  const most = Math.min(field.most, MAX_INPUT_LENGTH);
  const { value = '' } = field;
  return {
    type: 'plain_text_input',
    action_id: 'value',
    multiline: field.kind === 'paragraph',
    max_length: most,
    ...(value === '' ? {} : { initial_value: cut(value, most) }),
    ...hint,
  };
}

/** Reads what `renderModalView` kept of where it came from; undefined for anything else. Never throws. */
export function readOrigin(metadata: string): ModalOrigin | undefined {
  try {
    const { success, output: data } = v.safeParse(origin, JSON.parse(metadata));
    const action = success ? parseAction(data.a) : undefined;
    if (!success || !action) return undefined;
    const { c: channel, r: root, n, t: ticket, e: organisation } = data;
    return { action, channel, root, noReplies: n === 1, ticket, organisation };
  } catch {
    return undefined;
  }
}

const input = v.object({
  value: v.optional(
    v.object({
      value: v.nullish(v.pipe(v.string(), v.maxLength(MAX_INPUT_LENGTH))),
      selected_option: v.nullish(v.object({ value: v.pipe(v.string(), v.maxLength(150)) })),
    }),
  ),
});

/** What was filled in, by the ids of the fields; what was left empty is missing. */
export function formValues(state: Readonly<Record<string, unknown>>): Record<string, string> {
  const values = Object.entries(state).flatMap(([name, entry]): [string, string][] => {
    const read = v.is(input, entry) ? entry.value : undefined;
    const value = read?.selected_option?.value ?? read?.value;
    return value ? [[name, value]] : [];
  });
  return Object.fromEntries(values);
}
