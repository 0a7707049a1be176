/** In characters, per level: the limit of a text input in Slack. */
export const MAX_INSTRUCTIONS_LENGTH = 3_000;
