/** Where something can be set, the strongest first. */
export const LEVELS = ['thread', 'channel', 'person', 'workspace', 'deployment'] as const;
export type Level = (typeof LEVELS)[number];
