import { truncateText } from '../../../utils/index.ts';
import type { InputBlock, ModalView, PlainTextInput, StaticSelect } from '@slack/types';
import * as v from 'valibot';
import {
  type CardAction,
  serializeAction,
  type Modal,
  type ModalField,
  type Interaction,
  parseAction,
} from '../../../domain/index.ts';
import { renderOptions } from './card-blocks.ts';
import { renderPlainText } from './answer-blocks.ts';
import { id, ts } from '../api/payload-fields.ts';

/** The callback id by which the front recognizes submissions of our modals. */
export const MODAL_CALLBACK_ID = 'form';

/** Slack's limits of a modal. */
const MAX_TITLE_LENGTH = 24;
const MAX_LABEL_LENGTH = 2_000;
const MAX_PLACEHOLDER_LENGTH = 150;
const MAX_INPUT_LENGTH = 3_000;
const MAX_METADATA_LENGTH = 3_000;
const MAX_OPTION_VALUE_LENGTH = 150;

/** Where a modal was opened. It is kept in the modal, because the response to its submission belongs there. */
const storedOrigin = v.object({
  a: v.string(),
  c: v.optional(id),
  r: v.optional(ts),
  /** 1: the thread has no known replies. */
  n: v.optional(v.literal(1)),
  t: v.optional(v.string(), ''),
  e: v.optional(id),
});

export type ModalOrigin = {
  readonly action: CardAction;
  readonly channel?: string | undefined;
  readonly root?: string | undefined;
  readonly noReplies: boolean;
  readonly responseToken: string;
  /** That of the install. Modals of older versions have it only for an organization. */
  readonly workspace?: string | undefined;
};

/** Renders a form as a modal for `views.open`. */
export function renderModalView(form: Modal, interaction: Interaction): ModalView {
  const { workspace, channel, thread, noReplies, responseToken } = interaction;
  const place = {
    a: serializeAction(form.action),
    e: workspace,
    ...(channel && { c: channel }),
    ...(thread && { r: thread.root }),
    ...(noReplies && { n: 1 }),
  };
  const metadata = JSON.stringify({ ...place, t: responseToken });
  return {
    type: 'modal',
    callback_id: MODAL_CALLBACK_ID,
    title: renderPlainText(form.title, MAX_TITLE_LENGTH),
    submit: renderPlainText(form.submit, MAX_TITLE_LENGTH),
    // A `response_url` can be long. Without it, the response is a message of its own.
    private_metadata: metadata.length <= MAX_METADATA_LENGTH ? metadata : JSON.stringify(place),
    blocks: form.fields.map(renderField),
  };
}

function renderField(field: ModalField): InputBlock {
  return {
    type: 'input',
    block_id: field.id,
    label: renderPlainText(field.label, MAX_LABEL_LENGTH),
    optional: field.optional === true,
    element: renderInput(field),
  };
}

function renderInput(field: ModalField): StaticSelect | PlainTextInput {
  const placeholder = field.hint ? { placeholder: renderPlainText(field.hint, MAX_PLACEHOLDER_LENGTH) } : {};
  if (field.kind === 'choice') {
    const options = renderOptions(field.options);
    const initial = options.find(({ value }) => value === field.value);
    return {
      type: 'static_select',
      action_id: 'value',
      options,
      ...(initial && { initial_option: initial }),
      ...placeholder,
    };
  }
  const maxLength = Math.min(field.most, MAX_INPUT_LENGTH);
  const { value = '' } = field;
  return {
    type: 'plain_text_input',
    action_id: 'value',
    multiline: field.kind === 'paragraph',
    max_length: maxLength,
    ...(value === '' ? {} : { initial_value: truncateText(value, maxLength) }),
    ...placeholder,
  };
}

/** Reads the origin that `renderModalView` stored; undefined for anything else. Never throws. */
export function readOrigin(metadata: string): ModalOrigin | undefined {
  try {
    const { success, output: data } = v.safeParse(storedOrigin, JSON.parse(metadata));
    const action = success ? parseAction(data.a) : undefined;
    if (!success || !action) return undefined;
    const { c: channel, r: root, n, t: responseToken, e: workspace } = data;
    return { action, channel, root, noReplies: n === 1, responseToken, workspace };
  } catch {
    return undefined;
  }
}

const input = v.object({
  value: v.optional(
    v.object({
      value: v.nullish(v.pipe(v.string(), v.maxLength(MAX_INPUT_LENGTH))),
      selected_option: v.nullish(
        v.object({ value: v.pipe(v.string(), v.maxLength(MAX_OPTION_VALUE_LENGTH)) }),
      ),
    }),
  ),
});

/** Reads the values of a submission by the ids of the fields. Empty fields are missing. */
export function readFormValues(state: Readonly<Record<string, unknown>>): Record<string, string> {
  const values = Object.entries(state).flatMap(([field, entry]): [string, string][] => {
    const content = v.is(input, entry) ? entry.value : undefined;
    const value = content?.selected_option?.value ?? content?.value;
    return value ? [[field, value]] : [];
  });
  return Object.fromEntries(values);
}
