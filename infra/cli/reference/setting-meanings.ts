import type { SettingName } from '../../../shared/settings/rules/index.ts';

/** What each setting does, for docs/settings.md. Values, defaults and levels come from the rules. */
export const SETTING_MEANINGS: Readonly<Record<SettingName, string>> = {
  model: 'The model that answers',
  standIns: 'Models that answer while it is at capacity',
  instructions: 'Text for the model, before any persona: [below](#instructions-and-personas)',
  persona: 'A saved persona, by name. It follows the instructions',
  reasoning:
    "How much of a model's reasoning is shown: nothing, how long it took, also its end, or all of it (`file`; in Slack the same as `full`)",
  effort: 'How much it may reason; not sent to models that do not reason',
  temperature: 'How much answers vary',
  topP: 'Only the most likely tokens, up to this probability together',
  frequencyPenalty: 'How much a token is avoided for each time that it occurred',
  presencePenalty: 'How much a token is avoided that occurred at all',
  topK: 'The number of most likely tokens among which the next one is chosen; not sent to models that do not support it',
  minP: 'Only tokens that are at least so likely, compared with the most likely one; likewise',
  repetitionPenalty: 'More than 1 avoids repetition; likewise',
  seed: 'With the same seed and prompt, most models repeat the answer; not sent to models that do not support it',
  stop: 'The answer ends before the first of these words',
  avoid: 'The model is told not to use these words. This works with every model: [below](#words-to-avoid)',
  tokenBias:
    'Entries such as `1734:-100`: a token of the model, and how much more (100) or less (-100) likely it is; not sent to models that do not support it. The numbers are those of the tokenizer of the model',
  versions: 'How many [versions of each answer](#versions-of-an-answer) are requested',
  confidence:
    'Whether `why` shows how sure the model was: the mean probability of its tokens. Only models with log probabilities tell',
  maxTokens: 'Maximum tokens of an answer, [reasoning included](#maximum-answer-length)',
  language:
    'The language of answers and of [everything the bot says](#language). `auto`: that of the question, and of the reader',
  footer: 'A line below the answer: model, tokens, cost',
  suggestions: 'Follow-up questions below an answer',
  answerFiles:
    'Buttons below an answer that post it, or its code, [as files or a canvas](features.md#long-answers): `long`: from 4,000 characters, and code from 15 lines on',
  mentions:
    'When a message must mention the bot. `only`: always; `threads`: not in its threads; `free`: never; `off`: the bot is silent',
  bots: 'Other bots that may start a thread by mentioning it: bot, user or app ids',
  allowed: 'Who may use the bot: people, roles and groups; empty: everybody',
  denied: 'Who may not use it, even if allowed elsewhere',
  channels:
    'Channels where it may be used, and then nowhere else, also not in direct messages, except by administrators; empty: everywhere',
  favoured:
    'People, roles and groups with another share of a busy API key: `@ada` (twice the usual), `@team*3`, `@bot*0.5`',
  voice: 'When voice messages are transcribed',
  voiceOptOut: 'My recordings are not transcribed, unless I ask for it',
  voiceLanguage: 'The language that transcripts are translated into. `auto`: that of the reader',
  voiceSummary: 'Whether long transcripts start with a summary',
  voiceTemperature: 'The sampling temperature of transcriptions and translations',
  voiceMaxTokens: 'Maximum tokens of the transcript of half a minute. Default: 2,048',
  video: 'Who may have videos made',
  tools: 'Sources of tools that are on, by name; `jira@S7`: for a person, role or group only',
  schedules: 'Who may [schedule](schedules.md) prompts and digests',
  scheduleLimit: 'How many schedules a person may have in the workspace',
  mask: '[Private data](private-data.md) that is masked before anything leaves for models and tools: `cards`, `keys`, `emails`, `phones`, `ibans`, or `all` of these; `media`: pictures and recordings are left out of prompts',
  maskPatterns:
    'More that is masked: [patterns](private-data.md#patterns) such as `EMP-####; Project Falcon`',
  memory: 'Whether people may turn on [memory](memory.md), and whether the facts of the channel are used',
  memoryOptIn: 'Whether I have turned memory on: `memory on`',
  channelFacts:
    'What is [remembered for everybody in the channel](memory.md#facts-of-a-channel): a fact per line',
  retentionDays: 'After how many days messages are deleted',
};
