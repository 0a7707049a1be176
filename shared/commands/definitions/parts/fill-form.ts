import type { CommandsContext } from '../../context.ts';
import {
  type Card,
  type CardPart,
  type CardControl,
  type MaskedCounts,
  type Modal,
  type PromptMessage,
  buildPrompt,
  type QueueDelivery,
  type TaskResult,
} from '../../../domain/index.ts';
import { parsePresetName } from '../../../settings/rules/index.ts';
import { getInteractionSettingsPlace } from '../../../settings/index.ts';
import type { FormDraft } from '../../../storage/index.ts';
import { type Locale, localize, getFormTexts } from '../../../i18n/index.ts';
import { truncateText } from '../../../utils/index.ts';
import { isErasedSince } from '../../framework/erased-since.ts';
import { createMaskedNote, requestCompletion, withFailureReply } from '../../framework/run-model-request.ts';
import {
  toField,
  type FormSchema,
  listProperties,
  parseFormSchema,
  formatValue,
  parseValue,
} from '../../forms/form-schema.ts';
import {
  type InteractionRequest,
  DONE,
  type CommandHandler,
  replyStale,
  replyCard,
  textCard,
} from '../../framework/types.ts';
import { openForm } from '../../forms/open-form.ts';
import { createUnknownPresetCard } from './presets.ts';
import { showPublicly } from '../../framework/show-publicly.ts';

/** Discord's limit of fields per modal. */
const FIELDS_PER_FORM = 5;
/** The limit of a text input on both platforms; longer values cannot be edited. */
const MAX_INPUT_LENGTH = 3_000;
/** Values up to this length are shown side by side. */
const MAX_SHORT_LENGTH = 120;
const MAX_REPORTED_LENGTH = 1_500;
/** Longer answers are unreadable as a form, and slow to validate. */
const MAX_ANSWER_LENGTH = 20_000;

/**
 * Requests an answer in a saved JSON schema. Repeats the request once if the answer does not match. Shows it ephemerally, with
 * the buttons Edit and Send.
 */
export async function fillForm(
  request: InteractionRequest,
  context: CommandsContext,
  delivery: QueueDelivery,
  input: { readonly question: string; readonly name: string; readonly model?: string | undefined },
): Promise<TaskResult> {
  const { interaction, locale } = request;
  const place = getInteractionSettingsPlace(interaction);
  const name = parsePresetName(input.name) ?? input.name.trim().toLowerCase();
  const saved = await context.presets.get(place, 'schema', name);
  const schema = saved && parseFormSchema(saved.text);
  if (!saved || !schema)
    return replyCard(request, await createUnknownPresetCard('schema', request, name, context), context);
  const { id, by } = interaction;
  const requestedAt = interaction.receivedAt ?? context.time.now();
  return withFailureReply(request, context, delivery, async () => {
    let notes: readonly CardPart[] = [];
    // A redelivery shows the stored form instead of a second request.
    if (!(await context.drafts.find(place, id))) {
      const filled = await requestFilledForm(request, context, delivery, { ...input, name, schema });
      notes = createMaskedNote(filled.masked, locale);
      if ('wrong' in filled)
        return replyCard(request, withNotes(createFailureCard(filled.wrong, locale), notes), context);
      const output = { id, by: by.user, name, frame: saved.text, value: filled.value };
      const threads = interaction.thread ? [interaction.thread] : [];
      await context.drafts.addSources(place, id, { threads });
      // Erased while the model answered: nothing would remove the form.
      if (!(await isErasedSince(requestedAt, interaction, threads, context)))
        await context.drafts.create(
          place,
          output,
          createEditForms({ ...output, sent: false, revision: 1 }, locale),
        );
    }
    const draft = await context.drafts.find(place, id);
    const card = draft ? withNotes(createPrivateCard(draft, locale), notes) : createGoneCard(locale);
    return replyCard(request, card, context);
  });
}

const withNotes = (card: Card, notes: readonly CardPart[]): Card => ({
  ...card,
  parts: [...card.parts, ...notes],
});

/** With the private data that was masked in the last request, which has all of the conversation. */
type FilledForm = ({ readonly value: string } | { readonly wrong: string }) & {
  readonly masked: MaskedCounts | undefined;
};

/** Requests a completion, and a second one with the errors of the first. */
async function requestFilledForm(
  request: InteractionRequest,
  context: CommandsContext,
  delivery: QueueDelivery,
  { question, name, schema, model }: Parameters<typeof fillForm>[3] & { readonly schema: FormSchema },
): Promise<FilledForm> {
  const prompt: PromptMessage[] = [...buildPrompt(context.settings.systemPrompt, [], question)];
  const format = { name: name.replaceAll(/[^\w-]/gu, '_'), schema };
  let text = '';
  let masked: MaskedCounts | undefined;
  for (let nth = 1; nth <= 2; nth += 1) {
    ({ text, masked } = await requestCompletion(prompt, request, context, delivery, { model, format, nth }));
    if (text.length > MAX_ANSWER_LENGTH) break;
    const read = context.readAs(text, schema);
    if (read.ok) return { value: JSON.stringify(read.value), masked };
    const complaint = `That does not fit the schema:\n${read.errors.join('\n')}\nAnswer again with the corrected JSON alone.`;
    prompt.push({ role: 'assistant', content: text }, { role: 'user', content: complaint });
  }
  return { wrong: text, masked };
}

function createFailureCard(text: string, locale: Locale): Card {
  const shownText = truncateText(text, MAX_REPORTED_LENGTH);
  return textCard(`${localize(locale, 'saved.filled.not-filled')}\n\n\`\`\`\n${shownText}\n\`\`\``, 'bad');
}

const createGoneCard = (locale: Locale): Card => textCard(localize(locale, 'saved.filled.gone'), 'bad');

/**
 * Handles the buttons of a filled form: `schema.edit-form|id|page` opens the fields of a page, whose action is
 * `schema.edit|id|page|revision`; `schema.send|id` shows the form to everyone.
 */
export const onAction: CommandHandler<InteractionRequest<'action' | 'form'>> = async (request, context) => {
  const { payload, interaction, locale } = request;
  const [id = '', page = '0', revision = ''] = payload.action.args;
  const place = getInteractionSettingsPlace(interaction);
  const draft = id === '' ? undefined : await context.drafts.find(place, id);
  // Only the owner sees the buttons; a forged action of another person is refused.
  if (!draft || draft.sent || draft.name.startsWith('#') || draft.by !== String(interaction.by.user))
    return replyCard(request, createGoneCard(locale), context);
  const first = Math.max(0, Math.trunc(Number(page)) || 0) * FIELDS_PER_FORM;
  switch (payload.action.name) {
    case 'schema.edit-form':
      // Only if the front could not open it.
      return openForm(request, createEditForm(draft, first, locale), context);
    case 'schema.edit':
      if (payload.kind !== 'form') return replyStale(request, context);
      if (revision !== String(draft.revision))
        return replyCard(request, createPrivateCard(draft, locale), context);
      return replyCard(request, await applyEdit(request, draft, first, payload.values, context), context);
    case 'schema.send':
      return showFilledForm(request, draft, context);
    default:
      return replyStale(request, context);
  }
};

const parseDraft = ({ frame, value }: FormDraft) => {
  const properties = listProperties(parseFormSchema(frame) ?? {});
  return { properties, values: parseFormSchema(value) ?? {} };
};

/** The forms of all pages, for the front to open. */
const createEditForms = (draft: FormDraft, locale: Locale): Modal[] =>
  Array.from({ length: countPages(draft) }, (_, page) =>
    createEditForm(draft, page * FIELDS_PER_FORM, locale),
  );

const countPages = (draft: FormDraft): number =>
  Math.ceil(parseDraft(draft).properties.length / FIELDS_PER_FORM);

/** Only what fits into an input is offered: what does not would come back cut. */
function createEditForm(draft: FormDraft, first: number, locale: Locale): Modal {
  const { properties, values } = parseDraft(draft);
  const yesNo = { yes: localize(locale, 'saved.filled.yes'), no: localize(locale, 'saved.filled.no') };
  return {
    title: draft.name,
    submit: getFormTexts(locale)('save'),
    action: {
      name: 'schema.edit',
      args: [draft.id, String(first / FIELDS_PER_FORM), String(draft.revision)],
    },
    fields: properties
      .map((one, at) => toField(one, `f${at}`, values[one.name], { ...yesNo, most: MAX_INPUT_LENGTH }))
      .slice(first, first + FIELDS_PER_FORM)
      .filter(({ value = '' }) => value.length <= MAX_INPUT_LENGTH),
  };
}

/** What was filled in, if it fits the form; else what is wrong, and all stays as it was. */
async function applyEdit(
  { interaction, locale }: InteractionRequest,
  draft: FormDraft,
  first: number,
  input: Readonly<Record<string, string>>,
  context: CommandsContext,
): Promise<Card> {
  const { properties, values } = parseDraft(draft);
  const after: Record<string, unknown> = { ...values };
  for (const [at, one] of properties.entries()) {
    const isOffered = at >= first && at < first + FIELDS_PER_FORM;
    if (!isOffered || formatValue(one, values[one.name]).length > MAX_INPUT_LENGTH) continue;
    const value = parseValue(one, values[one.name], input[`f${at}`]);
    if (value === undefined) delete after[one.name];
    else after[one.name] = value;
  }
  const checked = context.readAs(JSON.stringify(after), parseFormSchema(draft.frame) ?? {});
  if (!checked.ok) {
    const sentence = `${localize(locale, 'saved.filled.misfit')}\n\`\`\`\n${checked.errors.join('\n')}\n\`\`\``;
    const { parts, ...card } = createPrivateCard(draft, locale);
    return { ...card, tone: 'bad', parts: [{ kind: 'text', markdown: sentence }, ...parts] };
  }
  const place = getInteractionSettingsPlace(interaction);
  const to = { value: JSON.stringify(after), sent: false };
  const forms = createEditForms({ ...draft, ...to, revision: draft.revision + 1 }, locale);
  await context.drafts.change(place, draft, to, forms);
  const now = await context.drafts.find(place, draft.id);
  return now ? createPrivateCard(now, locale) : createGoneCard(locale);
}

/** Shows the form to everyone, in the name of the person. Idempotent. */
async function showFilledForm(
  request: InteractionRequest,
  draft: FormDraft,
  context: CommandsContext,
): Promise<TaskResult> {
  const { interaction, locale } = request;
  const { thread, by } = interaction;
  const card: Card = { title: draft.name, by: by.user, parts: createFieldParts(draft, locale) };
  if (!(await showPublicly(request, thread, card, draft, context))) return DONE;
  return replyCard(request, textCard(localize(locale, 'saved.filled.sent'), 'good'), context);
}

/** The ephemeral card of a filled form. */
function createPrivateCard(draft: FormDraft, locale: Locale): Card {
  const { properties } = parseDraft(draft);
  const pages = countPages(draft);
  const edit = createEditForms(draft, locale).flatMap(({ fields }, page): CardControl[] => {
    // Discord refuses a modal without fields.
    if (fields.length === 0) return [];
    const [from, to] = [
      page * FIELDS_PER_FORM + 1,
      Math.min((page + 1) * FIELDS_PER_FORM, properties.length),
    ];
    const label =
      pages === 1
        ? localize(locale, 'saved.filled.edit')
        : localize(locale, 'saved.filled.edit-part', { from, to });
    return [{ kind: 'button', label, action: { name: 'schema.edit-form', args: [draft.id, String(page)] } }];
  });
  const sending: CardControl = {
    kind: 'button',
    label: localize(locale, 'saved.filled.send'),
    style: 'primary',
    action: { name: 'schema.send', args: [draft.id] },
  };
  return {
    title: draft.name,
    parts: [
      ...createFieldParts(draft, locale),
      { kind: 'controls', controls: [...edit, sending] },
      { kind: 'note', markdown: localize(locale, 'saved.filled.private') },
    ],
  };
}

/** Shows short values side by side, long ones below each other. */
function createFieldParts(draft: FormDraft, locale: Locale): CardPart[] {
  const { properties, values } = parseDraft(draft);
  const fields = properties.map((one) => ({
    name: one.label,
    value: formatFieldValue(values[one.name], locale),
  }));
  const short = fields.filter(({ value }) => value.length <= MAX_SHORT_LENGTH);
  const long = fields.filter(({ value }) => value.length > MAX_SHORT_LENGTH);
  return [
    ...(short.length > 0 ? [{ kind: 'fields' as const, fields: short }] : []),
    ...long.map(({ name, value }) => ({ kind: 'text' as const, markdown: `**${name}**\n${value}` })),
  ];
}

function formatFieldValue(value: unknown, locale: Locale): string {
  if (value === undefined || value === null || value === '') return localize(locale, 'saved.filled.empty');
  if (typeof value === 'boolean') return localize(locale, value ? 'saved.filled.yes' : 'saved.filled.no');
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object'))
    return value.map((one) => String(one)).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
