/** The levels of settings, strongest first. */
export const SETTING_LEVELS = ['thread', 'channel', 'person', 'workspace', 'deployment'] as const;
/** Levels that only admins change: for settings such as who may use the bot. */
export const ADMIN_LEVELS: readonly SettingLevel[] = ['channel', 'workspace', 'deployment'];
/** The same for settings of a workspace as a whole. */
export const WORKSPACE_WIDE_LEVELS: readonly SettingLevel[] = ['workspace', 'deployment'];
export type SettingLevel = (typeof SETTING_LEVELS)[number];

/** In characters, per level: the limit of a text input in Slack. */
export const MAX_INSTRUCTIONS_LENGTH = 3_000;
/** The same for the facts of a channel. */
export const MAX_CHANNEL_FACTS_LENGTH = 3_000;
/** The most versions of one answer. */
export const MAX_VERSIONS = 3;
