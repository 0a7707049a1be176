/** Where something can be set, the strongest first. */
export const SETTING_LEVELS = ['thread', 'channel', 'person', 'workspace', 'deployment'] as const;
/** Where those who administer say how it is in a place: a person, or a thread, has no say in who may use the bot. */
export const WORKSPACE_LEVELS: readonly SettingLevel[] = ['channel', 'workspace', 'deployment'];
/** The same of a workspace as a whole. */
export const DEPLOYMENT_LEVEL: readonly SettingLevel[] = ['workspace', 'deployment'];
export type SettingLevel = (typeof SETTING_LEVELS)[number];
