import {
  serializeAction,
  distinctOptions,
  type Modal,
  type ModalField,
  type CardOption,
} from '../../../domain/index.ts';
import { at, listAt, textAt } from './json-path.ts';

const LABEL = 18;
const TEXT_INPUT = 4;
const SELECT = 3;
const [SHORT_STYLE, LONG_STYLE] = [1, 2];

const TITLE = 45;
const HINT = 100;
const MAX_FIELDS = 5;
const MAX_OPTIONS = 25;
const MAX_INPUT_LENGTH = 4_000;
const MAX_OPTION_LENGTH = 100;

type Json = Readonly<Record<string, unknown>>;

/** A form as Discord opens it: five fields at most. See docs:components/reference#label. */
export function renderModal({ title, action, fields }: Modal): Json {
  return {
    title: named(title, TITLE),
    custom_id: serializeAction(action),
    components: fields.flatMap(labelled).slice(0, MAX_FIELDS),
  };
}

function labelled(field: ModalField): Json[] {
  const component = componentOf(field);
  if (!component) return [];
  return [{ type: LABEL, label: named(field.label, TITLE), ...described(field), component }];
}

/** Undefined for a choice among nothing, which Discord would not take. */
function componentOf(field: ModalField): Json | undefined {
  const common = { custom_id: field.id, required: field.optional !== true };
  if (field.kind === 'choice') {
    const options = optionsOf(field.options, field.value);
    return options.length === 0 ? undefined : { ...common, type: SELECT, options };
  }
  const max_length = Math.min(MAX_INPUT_LENGTH, field.most);
  const value = field.value === undefined ? {} : { value: field.value.slice(0, max_length).toWellFormed() };
  const style = field.kind === 'line' ? SHORT_STYLE : LONG_STYLE;
  return { ...common, type: TEXT_INPUT, style, max_length, ...value };
}

/** The options of a choice, in a form or on a card. One whose value Discord cannot carry is left out. */
export function optionsOf(options: readonly CardOption[], chosen: string | undefined): Json[] {
  return distinctOptions(options)
    .filter(({ value }) => value.length <= MAX_OPTION_LENGTH)
    .slice(0, MAX_OPTIONS)
    .map(({ label, value, hint }) => ({
      label: named(label, MAX_OPTION_LENGTH),
      value,
      ...described({ hint }),
      ...(value === chosen && { default: true }),
    }));
}

/** What was filled in, by field. Of a choice the first chosen. */
export function valuesIn(data: unknown): Record<string, string> {
  const inputs = listAt(data, 'components').flatMap((one) => [
    at(one, 'component'),
    ...listAt(one, 'components'),
  ]);
  return Object.fromEntries(
    inputs.flatMap((input) => {
      const id = textAt(input, 'custom_id');
      const value = textAt(input, 'value') ?? listAt(input, 'values').find((one) => typeof one === 'string');
      return id !== undefined && typeof value === 'string' ? [[id, value] as const] : [];
    }),
  );
}

/** Discord refuses a description that says nothing, and shortens none. */
function described({ hint = '' }: { readonly hint?: string | undefined }): Json {
  return hint.trim() === '' ? {} : { description: cut(hint, HINT) };
}

/** What stands on something: never nothing. */
export const named = (label: string, most: number): string => cut(label.trim() || '…', most);

export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}
