import type { Interaction, TurnRef } from '../domain/index.ts';
import { type SettingsLayers, resolve, type SettingName } from './rules/index.ts';
import type { Chat, Settings } from '../ports/index.ts';
import type { Presets, SettingsPlace, SettingsStore, Turns } from '../storage/index.ts';
import { instructionsAt, systemPrompt } from './system-prompt.ts';

/** Where a turn asks for settings. */
export function settingsPlaceOfTurn({ thread, asker }: Pick<TurnRef, 'thread' | 'asker'>): SettingsPlace {
  const { platform, workspace, channel, root } = thread;
  return { platform, workspace, channel, thread: { channel, root }, user: asker };
}

/** Where a call does. */
export function settingsPlaceOfInteraction({
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
  /** What holds for all of the deployment. */
  readonly deployment: { readonly turns: Turns; readonly chat: Chat; readonly settings: Settings };
  readonly settingsStore: Pick<SettingsStore, 'layers'>;
  readonly presets: Pick<Presets, 'get'>;
  readonly budgets: { readonly getZone: (place: SettingsPlace) => Promise<string | undefined> };
};

/** The same context with the settings that hold at a place just now, and a model that is asked as they say. */
export async function withSettings<C extends SettingsContext>(place: SettingsPlace, context: C): Promise<C> {
  const { deployment } = context;
  const settings = await settingsAt(place, context);
  const turns = deployment.turns.withRetention(resolve('retentionDays', settings.layers).value);
  return { ...context, turns, settings, chat: chosen(deployment.chat, settings) };
}

/** What holds at a place: the deployment's settings, and what people set over them. */
async function settingsAt(
  place: SettingsPlace,
  {
    deployment: { settings: base },
    settingsStore: choices,
    presets: saved,
    budgets,
  }: Pick<SettingsContext, 'deployment' | 'settingsStore' | 'presets' | 'budgets'>,
): Promise<Settings> {
  const [set, zone] = await Promise.all([choices.layers(place), budgets.getZone(place)]);
  const layers: SettingsLayers = { ...set, deployment: base.layers.deployment };
  const of = <N extends SettingName>(name: N) => resolve(name, layers).value;
  const text = await personaText(place, layers, saved);
  return {
    ...base,
    layers,
    zone: zone ?? base.zone,
    systemPrompt: systemPrompt({
      instructions: instructionsAt(base.systemPrompt, layers),
      persona: text,
      language: of('language'),
    }),
    model: of('model') ?? base.model,
    standIns: of('standIns') ?? base.standIns,
    reasoning: of('reasoning') ?? base.reasoning,
    sampling: {
      temperature: of('temperature'),
      topP: of('topP'),
      frequencyPenalty: of('frequencyPenalty'),
      presencePenalty: of('presencePenalty'),
      topK: of('topK'),
      minP: of('minP'),
      repetitionPenalty: of('repetitionPenalty'),
      reasoningEffort: of('effort'),
    },
    maxTokens: of('maxTokens') ?? base.maxTokens,
  };
}

/** The text of the persona that holds. One that was removed since counts as none, also where another was saved under its name. */
async function personaText(
  place: SettingsPlace,
  layers: SettingsLayers,
  saved: Pick<Presets, 'get'>,
): Promise<string | undefined> {
  const { value, from } = resolve('persona', layers);
  if (value === undefined || from === undefined) return undefined;
  const found = await saved.get(place, 'persona', value);
  // The deployment names one, and knows no id: its text is for those who administer the workspace to write.
  const isMeant = from === 'deployment' ? found?.adminOnly : found?.id === layers[from]?.ids?.persona;
  return isMeant === true ? found?.text : undefined;
}

/** A port to the models that asks as the settings say, unless a call says otherwise. */
function chosen(chat: Chat, { model = chat.model, sampling }: Settings): Chat {
  return {
    model,
    stream: (prompt, options) =>
      chat.stream(prompt, {
        ...options,
        model: options.model ?? model,
        sampling,
      }),
    ...(chat.suggestQuestions && { suggestQuestions: suggestBy(chat) }),
    listModels: async () => (await chat.listModels?.()) ?? [],
    modelFacts: async (id = model) => (await chat.modelFacts?.(id)) ?? { modelsWithImages: [] },
  };
}

/** The model that makes up questions is the deployment's, whatever else is set. */
function suggestBy(chat: Chat): NonNullable<Chat['suggestQuestions']> {
  return async (...asked) => (await chat.suggestQuestions?.(...asked)) ?? { questions: [] };
}
