import * as v from 'valibot';
import {
  type SettingLevel,
  ADMIN_LEVELS,
  MAX_CHANNEL_FACTS_LENGTH,
  MAX_INSTRUCTIONS_LENGTH,
  MAX_VERSIONS,
  WORKSPACE_WIDE_LEVELS,
} from './level-names.ts';
import { areMaskPatterns, MASK_KINDS, MAX_MASK_PATTERNS_LENGTH } from './mask.ts';

const nameSchema = v.pipe(v.string(), v.minLength(1), v.maxLength(60));
const modelSchema = v.pipe(v.string(), v.minLength(1), v.maxLength(150));
const idList = (max: number) => v.pipe(v.array(nameSchema), v.maxLength(max), v.readonly());
/** An id, and a multiple of the usual share. */
const weightedId = v.pipe(v.string(), v.regex(/^&?[\w-]{1,50}(?:\*\d(?:\.\d)?)?$/));
/** A token id and its bias. */
const tokenBias = v.pipe(v.string(), v.regex(/^\d{1,7}:(?:-?(?:100|[1-9]?\d))$/));
/** The name of a source of tools, and a person, role or group who may use it. */
const enabledTool = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9-]{0,23}(?:@&?[\w-]{1,50})?$/));
/** A BCP 47 tag without extensions. An invalid tag would make `Intl` throw in every task of its place. */
const languageSchema = v.union([
  v.literal('auto'),
  v.pipe(v.string(), v.regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/), v.check(isLanguageTag)),
]);

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

const ALL_LEVELS: readonly SettingLevel[] = ['thread', 'channel', 'person', 'workspace', 'deployment'];

const choiceSetting = <const V extends readonly [string, ...string[]]>(
  values: V,
  levels: readonly SettingLevel[],
) => ({
  schema: v.picklist(values),
  format: values,
  levels,
});
const booleanSetting = (levels: readonly SettingLevel[]) => ({
  schema: v.boolean(),
  format: 'yes-no' as const,
  levels,
});
/** The bounds are included. */
const numberSetting = (min: number, max: number, levels: readonly SettingLevel[]) => ({
  schema: v.pipe(v.number(), v.minValue(min), v.maxValue(max)),
  format: 'number' as const,
  levels,
  min,
  max,
});
const integerSetting = (min: number, max: number, levels: readonly SettingLevel[]) => ({
  ...numberSetting(min, max, levels),
  schema: v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max)),
  format: 'integer' as const,
});
const listSetting = <S extends v.GenericSchema<unknown, readonly string[]>>(
  schema: S,
  levels: readonly SettingLevel[],
) => ({
  schema,
  format: 'list' as const,
  levels,
});

/**
 * All settings: their values, and the levels at which they exist. Without a value, the next weaker level applies. People and
 * groups are platform ids.
 */
export const SETTINGS = {
  /** The model that answers. */
  model: { schema: modelSchema, format: 'text', levels: ALL_LEVELS },
  /** Stand-in models while it is at capacity, in this order. */
  standIns: listSetting(v.pipe(v.array(modelSchema), v.maxLength(5), v.readonly()), ALL_LEVELS),
  /** Instructions before any persona. The levels add up: first those of the workspace, then those of the channel. */
  instructions: {
    schema: v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_INSTRUCTIONS_LENGTH)),
    format: 'text',
    levels: ['channel', 'workspace'],
  },
  /** The name of a saved persona; its text follows the instructions in the system prompt. */
  persona: { schema: nameSchema, format: 'text', levels: ALL_LEVELS },
  /** How much of a model's reasoning is shown: nothing, that it happened, also its end, or all of it as a file. */
  reasoning: choiceSetting(['off', 'brief', 'full', 'file'], ALL_LEVELS),
  /** The reasoning effort. */
  effort: choiceSetting(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'], ALL_LEVELS),
  temperature: numberSetting(0, 2, ALL_LEVELS),
  topP: numberSetting(0, 1, ALL_LEVELS),
  frequencyPenalty: numberSetting(-2, 2, ALL_LEVELS),
  presencePenalty: numberSetting(-2, 2, ALL_LEVELS),
  // Requests to models that do not support one of these three omit it.
  topK: integerSetting(1, 1_000, ALL_LEVELS),
  minP: numberSetting(0, 1, ALL_LEVELS),
  repetitionPenalty: numberSetting(0.1, 2, ALL_LEVELS),
  /** With the same seed and prompt, most models give the same answer. */
  seed: integerSetting(0, 2_147_483_647, ALL_LEVELS),
  /** The answer ends before the first of these words. */
  stop: listSetting(v.pipe(v.array(nameSchema), v.maxLength(4), v.readonly()), ALL_LEVELS),
  /** Words that the model is told not to use. Not `logit_bias`: that names tokens, and the service offers no tokenizer. */
  avoid: listSetting(v.pipe(v.array(nameSchema), v.maxLength(20), v.readonly()), ALL_LEVELS),
  /** How much more (up to 100) or less (down to -100) likely tokens are: `1734:-100`. Models name tokens by numbers of their own. */
  tokenBias: listSetting(v.pipe(v.array(tokenBias), v.maxLength(50), v.readonly()), ALL_LEVELS),
  /** How many versions of each answer are requested. People choose one below the answer. */
  versions: integerSetting(1, MAX_VERSIONS, ALL_LEVELS),
  /** Whether the log probabilities of an answer are requested, so that `why` shows how sure the model was. */
  confidence: booleanSetting(ALL_LEVELS),
  /** The longest answer, in tokens, reasoning included. */
  maxTokens: integerSetting(16, 131_072, ALL_LEVELS),
  /** The language of answers; `auto` is that of the question. */
  language: { schema: languageSchema, format: 'language', levels: ALL_LEVELS },
  /** Whether a line below the answer shows its model and cost. */
  footer: booleanSetting(ALL_LEVELS),
  /** Whether follow-up questions are suggested below an answer. */
  suggestions: booleanSetting(ALL_LEVELS),
  /** What of an answer is offered as files: what is long, everything, or nothing. Not for a workspace, whose card in Discord is full. */
  answerFiles: choiceSetting(['off', 'long', 'all'], ['thread', 'channel', 'person', 'deployment']),
  /** Where questions must mention the bot. `only`: everywhere; `threads`: not in its threads; `free`: nowhere; `off`: it is silent. */
  mentions: choiceSetting(['only', 'threads', 'free', 'off'], ['thread', ...ADMIN_LEVELS]),
  /** Other bots that may use the bot. */
  bots: listSetting(idList(20), ADMIN_LEVELS),
  /** Who may use the bot: people, roles and groups; everyone if empty. */
  allowed: listSetting(idList(100), ADMIN_LEVELS),
  /** Who may not; overrides `allowed`. */
  denied: listSetting(idList(100), ADMIN_LEVELS),
  /** Channels in which the bot may be used; all if empty. */
  channels: listSetting(idList(100), WORKSPACE_WIDE_LEVELS),
  /** People, roles and groups with another share of a busy API key: `U1` has twice the usual one, `S7*3` three times. */
  favoured: listSetting(v.pipe(v.array(weightedId), v.maxLength(100), v.readonly()), WORKSPACE_WIDE_LEVELS),
  /** When voice messages are transcribed. */
  voice: choiceSetting(['off', 'request', 'automatic'], ADMIN_LEVELS),
  /** Whether a person's recordings are transcribed only at their own request. */
  voiceOptOut: booleanSetting(['person']),
  /** The language of translations of transcripts; `auto` is that of the reader. */
  voiceLanguage: {
    schema: v.union([v.literal('none'), languageSchema]),
    format: 'language',
    levels: ALL_LEVELS,
  },
  /** Whether long transcripts are summarized. */
  voiceSummary: booleanSetting(ALL_LEVELS),
  /** The sampling temperature of transcriptions and translations; 0 repeats them. */
  voiceTemperature: numberSetting(0, 1, ALL_LEVELS),
  /** The maximum tokens of the transcript of one chunk of a recording (about half a minute). */
  voiceMaxTokens: integerSetting(64, 8_192, ALL_LEVELS),
  /** Who may create videos. */
  video: choiceSetting(['off', 'admins', 'all'], ADMIN_LEVELS),
  /**
   * The sources of tools that are on: `search`, or the name of a server. `jira@S7`: for this person, role or group only. None if empty. See
   * `findEnabledTools`.
   */
  tools: listSetting(v.pipe(v.array(enabledTool), v.maxLength(50), v.readonly()), ADMIN_LEVELS),
  /** Who may schedule prompts and digests, and how many each person may have in the workspace. */
  schedules: choiceSetting(['off', 'admins', 'all'], ADMIN_LEVELS),
  scheduleLimit: integerSetting(1, 10, ADMIN_LEVELS),
  /** The kinds of private data that are masked before anything leaves for models and tools. None if empty. See `shared/private-data`. */
  mask: listSetting(
    v.pipe(v.array(v.picklist(MASK_KINDS)), v.maxLength(MASK_KINDS.length), v.readonly()),
    ADMIN_LEVELS,
  ),
  /** More that is masked: patterns such as `EMP-####`, separated by semicolons. */
  maskPatterns: {
    schema: v.pipe(v.string(), v.maxLength(MAX_MASK_PATTERNS_LENGTH), v.check(areMaskPatterns)),
    format: 'text',
    levels: ADMIN_LEVELS,
  },
  /** Whether people may turn on memory for themselves, and whether the facts of a channel are used. */
  memory: choiceSetting(['off', 'on'], ADMIN_LEVELS),
  /** Whether the person has turned memory on. It is used where `memory` is on as well. */
  memoryOptIn: booleanSetting(['person']),
  /** What is remembered for everybody in a channel: a fact per line. */
  channelFacts: {
    schema: v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_CHANNEL_FACTS_LENGTH)),
    format: 'text',
    levels: ['channel'],
  },
  /** The retention of conversations, in days. */
  retentionDays: integerSetting(1, 365, ADMIN_LEVELS),
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly schema: v.GenericSchema;
      readonly format: SettingFormat;
      readonly levels: readonly SettingLevel[];
    }
  >
>;

/** How people type a value: one of these words, or another format. */
export type SettingFormat =
  | readonly string[]
  | 'yes-no'
  | 'number'
  | 'integer'
  | 'list'
  | 'language'
  | 'text';

export type SettingName = keyof typeof SETTINGS;

/** The values that one level sets. */
export type SettingValues = {
  readonly [N in SettingName]?: v.InferOutput<(typeof SETTINGS)[N]['schema']> | undefined;
};

/** Whether a setting has this name. */
export const isSetting = (text: string): text is SettingName => Object.hasOwn(SETTINGS, text);

const valuesSchema: v.GenericSchema<unknown, SettingValues> = v.object(
  Object.fromEntries(
    Object.entries(SETTINGS).map(([key, { schema }]) => [
      key,
      v.fallback(v.optional<v.GenericSchema>(schema), undefined),
    ]),
  ),
);

/** Parses the stored values of a level. A value that is no longer valid counts as not set. */
export function parseSettingValues(stored: unknown): SettingValues {
  const { success, output } = v.safeParse(valuesSchema, stored);
  return success ? output : {};
}

/** The values of settings that no level sets. All others have none: the configuration or the model decides. */
export const DEFAULT_VALUES = {
  language: 'auto',
  footer: false,
  confidence: false,
  versions: 1,
  suggestions: false,
  answerFiles: 'long',
  mentions: 'threads',
  voice: 'request',
  voiceOptOut: false,
  voiceLanguage: 'none',
  voiceSummary: false,
  video: 'all',
  schedules: 'off',
  scheduleLimit: 5,
  memory: 'off',
  memoryOptIn: false,
} as const satisfies SettingValues;
