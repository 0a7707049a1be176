/** Where something can be set, the strongest first. */
export const LEVELS = ['thread', 'channel', 'person', 'workspace', 'deployment'] as const;
/** Where those who administer say how it is in a place: a person, or a thread, has no say in who may use the bot. */
export const SPACE: readonly Level[] = ['channel', 'workspace', 'deployment'];
/** The same of a workspace as a whole. */
export const WHOLE: readonly Level[] = ['workspace', 'deployment'];
export type Level = (typeof LEVELS)[number];
