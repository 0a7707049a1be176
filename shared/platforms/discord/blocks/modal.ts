import { truncateText } from '../../../utils/index.ts';
import type {
  APILabelComponent,
  APIModalInteractionResponseCallbackData,
  APISelectMenuOption,
  APIStringSelectComponent,
  APITextInputComponent,
} from 'discord-api-types/v10';
import {
  serializeAction,
  removeDuplicateOptions,
  type Modal,
  type ModalField,
  type CardOption,
} from '../../../domain/index.ts';
import { LABEL, PARAGRAPH_INPUT, SHORT_INPUT, STRING_SELECT, TEXT_INPUT } from '../api/enums.ts';
import { readValue, readList, readString } from '../api/json-path.ts';

const MAX_TITLE_LENGTH = 45;
const MAX_DESCRIPTION_LENGTH = 100;
const MAX_FIELDS = 5;
const MAX_OPTIONS = 25;
const MAX_INPUT_LENGTH = 4_000;
const MAX_OPTION_LENGTH = 100;

/** Renders a form as a modal, with at most five fields. See docs:components/reference#label. */
export function renderModal({ title, action, fields }: Modal): APIModalInteractionResponseCallbackData {
  return {
    title: cutLabel(title, MAX_TITLE_LENGTH),
    custom_id: serializeAction(action),
    components: fields.flatMap(labelComponent).slice(0, MAX_FIELDS),
  };
}

function labelComponent(field: ModalField): APILabelComponent[] {
  const component = inputComponent(field);
  if (!component) return [];
  return [
    { type: LABEL, label: cutLabel(field.label, MAX_TITLE_LENGTH), ...createDescription(field), component },
  ];
}

/** Undefined for a choice without options, which Discord refuses. */
function inputComponent(field: ModalField): APITextInputComponent | APIStringSelectComponent | undefined {
  const common = { custom_id: field.id, required: field.optional !== true };
  if (field.kind === 'choice') {
    const options = renderOptions(field.options, field.value);
    return options.length === 0 ? undefined : { ...common, type: STRING_SELECT, options };
  }
  const max_length = Math.min(MAX_INPUT_LENGTH, field.most);
  const value = field.value === undefined ? {} : { value: field.value.slice(0, max_length).toWellFormed() };
  const style = field.kind === 'line' ? SHORT_INPUT : PARAGRAPH_INPUT;
  return { ...common, type: TEXT_INPUT, style, max_length, ...value };
}

/** Renders the options of a choice in a modal or on a card, without those whose value is too long for Discord. */
export function renderOptions(
  options: readonly CardOption[],
  chosen: string | undefined,
): APISelectMenuOption[] {
  return removeDuplicateOptions(options)
    .filter(({ value }) => value.length <= MAX_OPTION_LENGTH)
    .slice(0, MAX_OPTIONS)
    .map(({ label, value, hint }) => ({
      label: cutLabel(label, MAX_OPTION_LENGTH),
      value,
      ...createDescription({ hint }),
      ...(value === chosen && { default: true }),
    }));
}

/** Reads the values of a submitted modal by field. Of a choice, the first selected value. */
export function readFormValues(data: unknown): Record<string, string> {
  const inputs = readList(data, 'components').flatMap((one) => [
    readValue(one, 'component'),
    ...readList(one, 'components'),
  ]);
  return Object.fromEntries(
    inputs.flatMap((input) => {
      const id = readString(input, 'custom_id');
      const value =
        readString(input, 'value') ?? readList(input, 'values').find((one) => typeof one === 'string');
      return id !== undefined && typeof value === 'string' ? [[id, value] as const] : [];
    }),
  );
}

/** A description, if there is one: Discord refuses empty ones, and those that are too long. */
function createDescription({ hint = '' }: { readonly hint?: string | undefined }): { description?: string } {
  return hint.trim() === '' ? {} : { description: truncateText(hint, MAX_DESCRIPTION_LENGTH) };
}

/** Cuts a label to `maxLength`. An empty one becomes an ellipsis, since Discord refuses empty labels. */
export const cutLabel = (label: string, maxLength: number): string =>
  truncateText(label.trim() || '…', maxLength);
