import { actionText, type Form, type FormField, type Option } from '../../conversation/index.ts';
import { at, listAt, textAt } from './json.ts';

const LABEL = 18;
const TEXT_INPUT = 4;
const SELECT = 3;
const [SHORT_STYLE, LONG_STYLE] = [1, 2];

const TITLE = 45;
const HINT = 100;
const MOST_FIELDS = 5;
const MOST_OPTIONS = 25;
const LONGEST_INPUT = 4_000;
const LONGEST_OPTION = 100;

type Json = Readonly<Record<string, unknown>>;

/** A form as Discord opens it: five fields at most. See docs:components/reference#label. */
export function modalOf({ title, action, fields }: Form): Json {
  return {
    title: cut(title, TITLE),
    custom_id: actionText(action),
    components: fields.slice(0, MOST_FIELDS).map(labelled),
  };
}

function labelled(field: FormField): Json {
  const { label, hint } = field;
  const description = hint === undefined ? {} : { description: cut(hint, HINT) };
  return { type: LABEL, label: cut(label, TITLE), ...description, component: componentOf(field) };
}

function componentOf(field: FormField): Json {
  const common = { custom_id: field.id, required: field.optional !== true };
  if (field.kind === 'choice') {
    const options = field.options.map((option) => ({
      ...optionOf(option),
      ...(option.value === field.value && { default: true }),
    }));
    return { ...common, type: SELECT, options: options.slice(0, MOST_OPTIONS) };
  }
  const max_length = Math.min(LONGEST_INPUT, field.most);
  const value = field.value === undefined ? {} : { value: field.value.slice(0, max_length) };
  const style = field.kind === 'line' ? SHORT_STYLE : LONG_STYLE;
  return { ...common, type: TEXT_INPUT, style, max_length, ...value };
}

/** An option of a choice, in a form or on a card. */
export function optionOf({ label, value, hint }: Option): Json {
  return {
    label: cut(label, LONGEST_OPTION),
    value,
    ...(hint === undefined ? {} : { description: cut(hint, LONGEST_OPTION) }),
  };
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

export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}
