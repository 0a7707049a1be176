import type { SettingValues } from './values.ts';

/** What holds where no level says anything. What is not listed is left to the deployment or to the model, or is nothing. */
export const DEFAULT_VALUES = {
  language: 'auto',
  footer: false,
  suggestions: false,
  mentions: 'threads',
  voice: 'request',
  voiceOptOut: false,
  voiceLanguage: 'none',
  voiceSummary: false,
  video: 'all',
} as const satisfies SettingValues;
