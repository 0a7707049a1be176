import type { SettingValues } from './values.ts';

/** The values of settings that no level sets. All others have none: the configuration or the model decides. */
export const DEFAULT_VALUES = {
  language: 'auto',
  footer: false,
  confidence: false,
  suggestions: false,
  mentions: 'threads',
  voice: 'request',
  voiceOptOut: false,
  voiceLanguage: 'none',
  voiceSummary: false,
  video: 'all',
} as const satisfies SettingValues;
