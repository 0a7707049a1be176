import type { Interaction, TurnRef } from '../domain/index.ts';
import { resolve, resolveAll, type SettingName, type SettingsLayers } from './rules/index.ts';
import type { Settings, Chat } from '../ports/index.ts';
import { getFilter } from '../private-data/index.ts';
import { createMaskingChat } from './masking-chat.ts';
import type { SettingsStore, Presets, SettingsPlace, Turns } from '../storage/index.ts';

/** Returns whose settings apply to a turn. */
export function getTurnSettingsPlace({ thread, asker }: Pick<TurnRef, 'thread' | 'asker'>): SettingsPlace {
  const { platform, workspace, channel, root } = thread;
  return { platform, workspace, channel, thread: { channel, root }, user: asker };
}

/** Returns whose settings apply to an interaction. */
export function getInteractionSettingsPlace({
  platform,
  workspace,
  channel,
  thread,
  by,
}: Interaction): SettingsPlace {
  const inThread = thread && { thread: { channel: thread.channel, root: thread.root } };
  return { platform, workspace, channel, ...inThread, user: by.user };
}

type SettingsContext = {
  /** The same for the whole deployment. */
  readonly deployment: { readonly turns: Turns; readonly chat: Chat; readonly settings: Settings };
  readonly settingsStore: Pick<SettingsStore, 'layers'>;
  readonly presets: Pick<Presets, 'get'>;
  readonly budgets: { readonly getZone: (place: SettingsPlace) => Promise<string | undefined> };
};

/** Returns the context with the current settings of a place. Its `chat` and `turns` apply them. `isFresh`: see `SettingsStore.layers`. */
export async function withSettings<C extends SettingsContext>(
  place: SettingsPlace,
  context: C,
  isFresh = false,
): Promise<C> {
  const { deployment } = context;
  const settings = await loadSettings(place, context, isFresh);
  const turns = deployment.turns.withRetention(resolve('retentionDays', settings.layers).value);
  return { ...context, turns, settings, chat: configureChat(deployment.chat, settings) };
}

/** Loads the effective settings of a place: those of the deployment, overridden by people's settings. */
async function loadSettings(
  place: SettingsPlace,
  {
    deployment: { settings: base },
    settingsStore,
    presets,
    budgets,
  }: Pick<SettingsContext, 'deployment' | 'settingsStore' | 'presets' | 'budgets'>,
  isFresh: boolean,
): Promise<Settings> {
  const [storedLayers, zone] = await Promise.all([
    settingsStore.layers(place, { isFresh }),
    budgets.getZone(place),
  ]);
  const layers: SettingsLayers = { ...storedLayers, deployment: base.layers.deployment };
  const get = <N extends SettingName>(name: N) => resolve(name, layers).value;
  const persona = await loadPersonaText(place, layers, presets);
  return {
    ...base,
    layers,
    zone: zone ?? base.zone,
    systemPrompt: buildSystemPrompt({
      instructions: combineInstructions(base.systemPrompt, layers),
      persona,
      language: get('language'),
      avoid: get('avoid'),
    }),
    model: get('model') ?? base.model,
    standIns: get('standIns') ?? base.standIns,
    reasoning: get('reasoning') ?? base.reasoning,
    sampling: {
      temperature: get('temperature'),
      topP: get('topP'),
      frequencyPenalty: get('frequencyPenalty'),
      presencePenalty: get('presencePenalty'),
      topK: get('topK'),
      minP: get('minP'),
      repetitionPenalty: get('repetitionPenalty'),
      reasoningEffort: get('effort'),
      seed: get('seed'),
      stop: toStopWords(get('stop')),
      logitBias: toLogitBias(get('tokenBias')),
      logprobs: get('confidence') === true || undefined,
    },
    maxTokens: get('maxTokens') ?? base.maxTokens,
    versions: get('versions'),
  };
}

/** Returns undefined for an empty list: an empty list is not a valid value of the field. */
const toStopWords = (words: readonly string[] = []): readonly string[] | undefined =>
  words.length > 0 ? words : undefined;

/** Parses entries such as `1734:-100`. */
function toLogitBias(entries: readonly string[] = []): Readonly<Record<string, number>> | undefined {
  const biases = entries.map((entry): readonly [string, number] => {
    const [token = '', bias] = entry.split(':');
    return [token, Number(bias)];
  });
  return biases.length > 0 ? Object.fromEntries<number>(biases) : undefined;
}

/**
 * Loads the text of the effective persona. A removed persona has none, even if another one was saved under its name since.
 */
async function loadPersonaText(
  place: SettingsPlace,
  layers: SettingsLayers,
  presets: Pick<Presets, 'get'>,
): Promise<string | undefined> {
  const { value, from } = resolve('persona', layers);
  if (value === undefined || from === undefined) return undefined;
  const preset = await presets.get(place, 'persona', value);
  // The deployment sets a name without an id: only a persona that an admin saved under that name counts.
  const isSelected = from === 'deployment' ? preset?.adminOnly : preset?.id === layers[from]?.ids?.persona;
  return isSelected === true ? preset?.text : undefined;
}

/** Returns a model client that masks private data as the settings of a place say; the same client if they mask nothing. */
export function withMasking(chat: Chat, layers: SettingsLayers): Chat {
  const filter = getFilter(layers);
  return filter ? createMaskingChat(chat, filter) : chat;
}

/** Returns a model client that applies the settings. Options of a request override them. */
function configureChat(
  deploymentChat: Chat,
  { model = deploymentChat.model, sampling, layers }: Settings,
): Chat {
  const chat = withMasking(deploymentChat, layers);
  return {
    model,
    stream: (prompt, options) =>
      chat.stream(prompt, {
        ...options,
        model: options.model ?? model,
        sampling,
      }),
    // Follow-up questions always come from the deployment's model, whatever model is set.
    suggestQuestions: (...args) => chat.suggestQuestions(...args),
    listModels: () => chat.listModels(),
    modelFacts: (id = model) => chat.modelFacts(id),
  };
}

/** Stands between instructions and a persona: who chooses a persona may change the tone, but not the rules. */
const PERSONA_INTRODUCTION =
  'Take on the persona below. Where it contradicts the instructions above, those above hold.';

/**
 * Joins the instructions of the deployment, the workspace and the channel, in this order. They apply to every question, for
 * every person and persona.
 */
export function combineInstructions(deployment: string, layers: SettingsLayers): string {
  const instructions = resolveAll('instructions', layers).map(({ value }) => value);
  return joinParagraphs([deployment, ...instructions]);
}

/** Builds the system prompt. `persona` is its text; `language` is the language of the answer (a BCP 47 tag, or `auto`); `avoid` are words that it must not have. */
function buildSystemPrompt({
  instructions,
  persona = '',
  language,
  avoid = [],
}: {
  readonly instructions: string;
  readonly persona?: string | undefined;
  readonly language?: string | undefined;
  readonly avoid?: readonly string[] | undefined;
}): string {
  const introduction = instructions !== '' && persona !== '' ? [PERSONA_INTRODUCTION] : [];
  const style = [languageInstruction(language), avoidInstruction(avoid)];
  return joinParagraphs([instructions, ...introduction, persona, ...style]);
}

/** The instruction is in English, which models follow best. */
function languageInstruction(language: string | undefined): string {
  if (language === undefined || language === 'auto') return '';
  const name = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' }).of(language);
  return `Answer in ${name ?? language}, whatever the language of the question.`;
}

/** People type these words: as JSON strings they cannot end the sentence. */
const avoidInstruction = (words: readonly string[]): string =>
  words.length > 0 ? `Do not use these words: ${words.map((word) => JSON.stringify(word)).join(', ')}.` : '';

const joinParagraphs = (parts: readonly string[]): string =>
  parts.filter((part) => part.trim() !== '').join('\n\n');
