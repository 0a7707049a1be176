/** Characters of the instructions of one level: what an input of Slack's takes. */
export const MAX_INSTRUCTIONS_LENGTH = 3_000;
