import type { Invocation, TurnRef } from '../conversation/index.ts';
import { type Layers, resolve, type SettingName } from '../settings/index.ts';
import type { SettingsPlace } from '../store/index.ts';
import type { Chat, Deps, Settings } from './ports.ts';
import { instructionsAt, systemPrompt } from './system-prompt.ts';

/** Where a turn asks for settings. */
export function placeOfTurn({ thread, asker }: Pick<TurnRef, 'thread' | 'asker'>): SettingsPlace {
  const { platform, workspace, channel, root } = thread;
  return { platform, workspace, channel, thread: { channel, root }, user: asker };
}

/** Where a call does. */
export function placeOfCall({ platform, workspace, channel, thread, by }: Invocation): SettingsPlace {
  const inThread = thread && { thread: { channel: thread.channel, root: thread.root } };
  return { platform, workspace, channel, ...inThread, user: by.user };
}

/** The same deps with the settings that hold at a place just now, and a model that is asked as they say. */
export async function withSettings(place: SettingsPlace, deps: Deps): Promise<Deps> {
  const { origin = deps } = deps;
  const settings = await settingsAt(place, origin);
  const turns = origin.turns.keptFor(resolve('retentionDays', settings.layers).value);
  return { ...origin, origin, turns, settings, chat: chosen(origin.chat, settings) };
}

/** What holds at a place: the deployment's settings, and what people set over them. */
async function settingsAt(
  place: SettingsPlace,
  { settings: base, choices, saved, spending }: Pick<Deps, 'settings' | 'choices' | 'saved' | 'spending'>,
): Promise<Settings> {
  const [set, zone] = await Promise.all([choices.layers(place), spending?.zoneOf(place)]);
  const layers: Layers = { ...set, deployment: base.layers.deployment };
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
  layers: Layers,
  saved: Pick<Deps['saved'], 'get'>,
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
    ...(chat.suggest && { suggest: suggestBy(chat) }),
    list: async () => (await chat.list?.()) ?? [],
    about: async (id = model) => (await chat.about?.(id)) ?? { seeing: [] },
  };
}

/** The model that makes up questions is the deployment's, whatever else is set. */
function suggestBy(chat: Chat): NonNullable<Chat['suggest']> {
  return async (...asked) => (await chat.suggest?.(...asked)) ?? { questions: [] };
}
