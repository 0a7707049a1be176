import * as v from 'valibot';
import { type SettingLevel, WORKSPACE_LEVELS, DEPLOYMENT_LEVEL } from './level-names.ts';
import { MAX_INSTRUCTIONS_LENGTH } from './limits.ts';

const name = v.pipe(v.string(), v.minLength(1), v.maxLength(60));
const model = v.pipe(v.string(), v.minLength(1), v.maxLength(150));
const list = (most: number) => v.pipe(v.array(name), v.maxLength(most), v.readonly());
/** An id, and how many times the usual share it has. */
const weighted = v.pipe(v.string(), v.regex(/^&?[\w-]{1,50}(?:\*\d(?:\.\d)?)?$/));
const yesNo = v.boolean();
/** A BCP 47 tag without extensions: one that can be named. Whatever cannot would end every task of its place. */
const language = v.union([
  v.literal('auto'),
  v.pipe(v.string(), v.regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/), v.check(isTag)),
]);

function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

const ALL: readonly SettingLevel[] = ['thread', 'channel', 'person', 'workspace', 'deployment'];

const pick = <const V extends readonly [string, ...string[]]>(
  values: V,
  levels: readonly SettingLevel[],
) => ({
  shape: v.picklist(values),
  written: values,
  levels,
});
const yes = (levels: readonly SettingLevel[]) => ({ shape: yesNo, written: 'yes-no' as const, levels });
/** Bounds, both included. */
const number = (least: number, most: number, levels: readonly SettingLevel[]) => ({
  shape: v.pipe(v.number(), v.minValue(least), v.maxValue(most)),
  written: 'number' as const,
  levels,
  least,
  most,
});
const whole = (least: number, most: number, levels: readonly SettingLevel[]) => ({
  ...number(least, most, levels),
  shape: v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most)),
  written: 'whole-number' as const,
});
const names = <S extends v.GenericSchema<unknown, readonly string[]>>(
  shape: S,
  levels: readonly SettingLevel[],
) => ({
  shape,
  written: 'list' as const,
  levels,
});

/**
 * Everything that can be set: its values, and the levels that have a say in it. Absent is: as the next level has it.
 * People and groups are named by their ids on the platform.
 */
export const SETTINGS = {
  /** The model that is asked. */
  model: { shape: model, written: 'words', levels: ALL },
  /** Models that are asked in its place while it is full, one after the other. */
  standIns: names(v.pipe(v.array(model), v.maxLength(5), v.readonly()), ALL),
  /** What the model is told in front of any persona. The levels add up: the workspace's come first, then the channel's. */
  instructions: {
    shape: v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_INSTRUCTIONS_LENGTH)),
    written: 'words',
    levels: ['channel', 'workspace'],
  },
  /** A persona, saved by name; its text follows the instructions in the system prompt. */
  persona: { shape: name, written: 'words', levels: ALL },
  /** How much of a model's reasoning is shown: nothing, that it took place, the end of it too, or all of it as a file. */
  reasoning: pick(['off', 'brief', 'full', 'file'], ALL),
  /** How long it may reason. */
  effort: pick(['none', 'minimal', 'low', 'medium', 'high'], ALL),
  temperature: number(0, 2, ALL),
  topP: number(0, 1, ALL),
  frequencyPenalty: number(-2, 2, ALL),
  presencePenalty: number(-2, 2, ALL),
  // A model that does not know one of these three is asked without it.
  topK: whole(1, 1_000, ALL),
  minP: number(0, 1, ALL),
  repetitionPenalty: number(0.1, 2, ALL),
  /** The longest answer, in tokens, reasoning included. */
  maxTokens: whole(16, 131_072, ALL),
  /** In which the bot answers: `auto` is that of the question. */
  language: { shape: language, written: 'language', levels: ALL },
  /** Whether a line under the answer says which model gave it, and at what cost. */
  footer: yes(ALL),
  /** Whether follow-up questions are suggested under an answer. */
  suggestions: yes(ALL),
  /** `only`: every question names the bot. `threads`: not in threads that it takes part in. `free`: nowhere. `off`: it is silent. */
  mentions: pick(['only', 'threads', 'free', 'off'], ['thread', ...WORKSPACE_LEVELS]),
  /** Other bots that may ask. */
  bots: names(list(20), WORKSPACE_LEVELS),
  /** Who may use the bot: people, roles and groups. Empty is everybody. */
  allowed: names(list(100), WORKSPACE_LEVELS),
  /** Who may not, whatever else is allowed. */
  denied: names(list(100), WORKSPACE_LEVELS),
  /** Channels in which it may be used; empty is all. */
  channels: names(list(100), DEPLOYMENT_LEVEL),
  /** People, roles and groups with more, or less, than the usual share of a busy key: `U1` has twice, `S7*3` three times. */
  favoured: names(v.pipe(v.array(weighted), v.maxLength(100), v.readonly()), DEPLOYMENT_LEVEL),
  /** When voice messages are written out. */
  voice: pick(['off', 'request', 'automatic'], WORKSPACE_LEVELS),
  /** A person's own wish that theirs are not, unless they ask. */
  voiceOptOut: yes(['person']),
  /** Into which they are translated as well; `auto` is that of who reads. */
  voiceLanguage: { shape: v.union([v.literal('none'), language]), written: 'language', levels: ALL },
  /** Whether long ones are summed up. */
  voiceSummary: yes(ALL),
  /** Who may have videos made. */
  video: pick(['off', 'admins', 'all'], WORKSPACE_LEVELS),
  /** For how many days what was said is kept. */
  retentionDays: whole(1, 365, WORKSPACE_LEVELS),
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly shape: v.GenericSchema;
      readonly written: WrittenSettings;
      readonly levels: readonly SettingLevel[];
    }
  >
>;

/** How people write a value: the words to pick from, or what else. */
export type WrittenSettings =
  | readonly string[]
  | 'yes-no'
  | 'number'
  | 'whole-number'
  | 'list'
  | 'language'
  | 'words';

export type SettingName = keyof typeof SETTINGS;

/** What one level sets. */
export type SettingValues = {
  readonly [N in SettingName]?: v.InferOutput<(typeof SETTINGS)[N]['shape']> | undefined;
};

export const isSetting = (text: string): text is SettingName => Object.hasOwn(SETTINGS, text);

const shapes: v.GenericSchema<unknown, SettingValues> = v.object(
  Object.fromEntries(
    Object.entries(SETTINGS).map(([key, { shape }]) => [
      key,
      v.fallback(v.optional<v.GenericSchema>(shape), undefined),
    ]),
  ),
);

/** Reads what a level was stored with. What no longer is a value of its setting counts as not set. */
export function readLayer(stored: unknown): SettingValues {
  const { success, output } = v.safeParse(shapes, stored);
  return success ? output : {};
}
