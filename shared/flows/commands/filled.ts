import {
  type Card,
  type CardPart,
  type Control,
  type Form,
  type PromptMessage,
  promptFor,
} from '../../conversation/index.ts';
import { savedName } from '../../settings/index.ts';
import type { Draft } from '../../store/index.ts';
import { type Locale, say } from '../../texts/index.ts';
import type { Delivery, Deps, Verdict } from '../ports.ts';
import { placeOfCall } from '../settings.ts';
import { answeringFailures, complete } from './complete.ts';
import { fieldOf, type FormSchema, propertiesIn, schemaIn, textOf, valueOf } from './form-schema.ts';
import { type AnyCall, type Called, DONE, type Run, stale, tell, words } from './run.ts';
import { openForm } from './open-form.ts';
import { unknownSaved } from './saved.ts';
import { showToAll } from './show-to-all.ts';
import { formTexts } from '../../texts/forms/index.ts';

/** Fields of one modal: as many as Discord's hold. */
const PER_FORM = 5;
/** What an input takes on both platforms; longer values are left as they are. */
const LONGEST_INPUT = 3_000;
/** Shown side by side with others up to here. */
const SHORT = 120;
const MOST_TOLD = 1_500;
/** Longer answers are no form that anybody reads; and to check them, such as for what is there twice, would take long. */
const MOST_FILLED = 20_000;

/**
 * Has the model fill a saved form in: its answer is held to the form's schema, asked for once more if it does not fit, and
 * shown to who asked alone, with Edit and Send.
 */
export async function fillIn(
  called: AnyCall,
  deps: Deps,
  delivery: Delivery,
  asked: { readonly question: string; readonly name: string; readonly model?: string | undefined },
): Promise<Verdict> {
  const { invocation, locale } = called;
  const place = placeOfCall(invocation);
  const name = savedName(asked.name) ?? asked.name.trim().toLowerCase();
  const saved = await deps.saved.get(place, 'schema', name);
  const schema = saved && schemaIn(saved.text);
  if (!saved || !schema) return tell(called, await unknownSaved('schema', called, name, deps), deps);
  const { id, by } = invocation;
  return answeringFailures(called, deps, delivery, async () => {
    // Delivered again, the form that was filled in is shown, not asked for anew.
    if (!(await deps.drafts.find(place, id))) {
      const filled = await answerFor(called, deps, delivery, { ...asked, name, schema });
      if ('wrong' in filled) return tell(called, notFilled(filled.wrong, locale), deps);
      const made = { id, by: by.user, name, frame: saved.text, value: filled.value };
      const { thread } = invocation;
      await deps.drafts.attribute(place, id, { threads: thread ? [thread] : [] });
      await deps.drafts.keep(place, made, editForms({ ...made, sent: false, revision: 1 }, locale));
    }
    const draft = await deps.drafts.find(place, id);
    return tell(called, draft ? privateCard(draft, locale) : gone(locale), deps);
  });
}

type Filled = { readonly value: string } | { readonly wrong: string };

/** One completion, and a second with what is wrong with the first. */
async function answerFor(
  called: AnyCall,
  deps: Deps,
  delivery: Delivery,
  { question, name, schema, model }: Parameters<typeof fillIn>[3] & { readonly schema: FormSchema },
): Promise<Filled> {
  const prompt: PromptMessage[] = [...promptFor(deps.settings.systemPrompt, [], question)];
  const format = { name: name.replaceAll(/[^\w-]/gu, '_'), schema };
  let text = '';
  for (let nth = 1; nth <= 2; nth += 1) {
    text = await complete(prompt, called, deps, delivery, { model, format, nth });
    if (text.length > MOST_FILLED) break;
    const read = deps.readAs(text, schema);
    if (read.ok) return { value: JSON.stringify(read.value) };
    const complaint = `That does not fit the schema:\n${read.complaints.join('\n')}\nAnswer again with the corrected JSON alone.`;
    prompt.push({ role: 'assistant', content: text }, { role: 'user', content: complaint });
  }
  return { wrong: text };
}

function notFilled(text: string, locale: Locale): Card {
  const told = text.length > MOST_TOLD ? `${text.slice(0, MOST_TOLD - 1).toWellFormed()}…` : text;
  return words(`${say(locale, 'saved.filled.not-filled')}\n\n\`\`\`\n${told}\n\`\`\``, 'bad');
}

const gone = (locale: Locale): Card => words(say(locale, 'saved.filled.gone'), 'bad');

/**
 * What is pressed and sent under a filled form: `schema.edit-form|id|page` opens the fields of a page, which come back as
 * `schema.edit|id|page|revision`; `schema.send|id` shows it to all.
 */
export const act: Run<Called<'action' | 'form'>> = async (called, deps) => {
  const { call, invocation, locale } = called;
  const [id = '', page = '0', revision = ''] = call.action.args;
  const place = placeOfCall(invocation);
  const draft = id === '' ? undefined : await deps.drafts.find(place, id);
  // Nobody else is shown the buttons; a forged press finds nothing.
  if (!draft || draft.sent || draft.name.startsWith('#') || draft.by !== String(invocation.by.user))
    return tell(called, gone(locale), deps);
  const first = Math.max(0, Math.trunc(Number(page)) || 0) * PER_FORM;
  switch (call.action.name) {
    case 'schema.edit-form':
      // Only where the front could not open it.
      return openForm(called, editForm(draft, first, locale), deps);
    case 'schema.edit':
      if (call.kind !== 'form') return stale(called, deps);
      if (revision !== String(draft.revision)) return tell(called, privateCard(draft, locale), deps);
      return tell(called, await edited(called, draft, first, call.values, deps), deps);
    case 'schema.send':
      return send(called, draft, deps);
    default:
      return stale(called, deps);
  }
};

const read = ({ frame, value }: Draft) => {
  const properties = propertiesIn(schemaIn(frame) ?? {});
  return { properties, values: schemaIn(value) ?? {} };
};

/** The forms of all pages, for the front to open. */
const editForms = (draft: Draft, locale: Locale): Form[] =>
  Array.from({ length: pagesOf(draft) }, (_, page) => editForm(draft, page * PER_FORM, locale));

const pagesOf = (draft: Draft): number => Math.ceil(read(draft).properties.length / PER_FORM);

/** Only what fits into an input is offered: what does not would come back cut. */
function editForm(draft: Draft, first: number, locale: Locale): Form {
  const { properties, values } = read(draft);
  const yesNo = { yes: say(locale, 'saved.filled.yes'), no: say(locale, 'saved.filled.no') };
  return {
    title: draft.name,
    submit: formTexts(locale)('save'),
    action: { name: 'schema.edit', args: [draft.id, String(first / PER_FORM), String(draft.revision)] },
    fields: properties
      .map((one, at) => fieldOf(one, `f${at}`, values[one.name], { ...yesNo, most: LONGEST_INPUT }))
      .slice(first, first + PER_FORM)
      .filter(({ value = '' }) => value.length <= LONGEST_INPUT),
  };
}

/** What was filled in, if it fits the form; else what is wrong, and all stays as it was. */
async function edited(
  { invocation, locale }: AnyCall,
  draft: Draft,
  first: number,
  given: Readonly<Record<string, string>>,
  deps: Deps,
): Promise<Card> {
  const { properties, values } = read(draft);
  const after: Record<string, unknown> = { ...values };
  for (const [at, one] of properties.entries()) {
    const offered = at >= first && at < first + PER_FORM;
    if (!offered || textOf(one, values[one.name]).length > LONGEST_INPUT) continue;
    const value = valueOf(one, given[`f${at}`]);
    if (value === undefined) delete after[one.name];
    else after[one.name] = value;
  }
  const checked = deps.readAs(JSON.stringify(after), schemaIn(draft.frame) ?? {});
  if (!checked.ok) {
    const told = `${say(locale, 'saved.filled.misfit')}\n\`\`\`\n${checked.complaints.join('\n')}\n\`\`\``;
    const { parts, ...card } = privateCard(draft, locale);
    return { ...card, tone: 'bad', parts: [{ kind: 'text', markdown: told }, ...parts] };
  }
  const place = placeOfCall(invocation);
  const to = { value: JSON.stringify(after), sent: false };
  const forms = editForms({ ...draft, ...to, revision: draft.revision + 1 }, locale);
  await deps.drafts.change(place, draft, to, forms);
  const now = await deps.drafts.find(place, draft.id);
  return now ? privateCard(now, locale) : gone(locale);
}

/** Shown to all where it was asked for, from the person: once, however often Send is pressed. */
async function send(called: AnyCall, draft: Draft, deps: Deps): Promise<Verdict> {
  const { invocation, locale } = called;
  const { thread, by } = invocation;
  const card: Card = { title: draft.name, by: by.user, parts: filledParts(draft, locale) };
  if (!(await showToAll(called, thread, card, draft, deps))) return DONE;
  return tell(called, words(say(locale, 'saved.filled.sent'), 'good'), deps);
}

/** A filled form for who asked for it. */
function privateCard(draft: Draft, locale: Locale): Card {
  const { properties } = read(draft);
  const pages = pagesOf(draft);
  const edit = Array.from({ length: pages }, (_, page): Control => {
    const [from, to] = [page * PER_FORM + 1, Math.min((page + 1) * PER_FORM, properties.length)];
    const label =
      pages === 1 ? say(locale, 'saved.filled.edit') : say(locale, 'saved.filled.edit-part', { from, to });
    return { kind: 'button', label, action: { name: 'schema.edit-form', args: [draft.id, String(page)] } };
  });
  const sending: Control = {
    kind: 'button',
    label: say(locale, 'saved.filled.send'),
    style: 'primary',
    action: { name: 'schema.send', args: [draft.id] },
  };
  return {
    title: draft.name,
    parts: [
      ...filledParts(draft, locale),
      { kind: 'controls', controls: [...edit, sending] },
      { kind: 'note', markdown: say(locale, 'saved.filled.private') },
    ],
  };
}

/** Short values side by side, long ones below each other. */
function filledParts(draft: Draft, locale: Locale): CardPart[] {
  const { properties, values } = read(draft);
  const shown = properties.map((one) => ({ name: one.label, value: shownOf(values[one.name], locale) }));
  const short = shown.filter(({ value }) => value.length <= SHORT);
  const long = shown.filter(({ value }) => value.length > SHORT);
  return [
    ...(short.length > 0 ? [{ kind: 'fields' as const, fields: short }] : []),
    ...long.map(({ name, value }) => ({ kind: 'text' as const, markdown: `**${name}**\n${value}` })),
  ];
}

function shownOf(value: unknown, locale: Locale): string {
  if (value === undefined || value === null || value === '') return say(locale, 'saved.filled.empty');
  if (typeof value === 'boolean') return say(locale, value ? 'saved.filled.yes' : 'saved.filled.no');
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object'))
    return value.map((one) => String(one)).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
