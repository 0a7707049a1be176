/** Returns the class name of an error, for logs: messages may contain personal data. `unknown` for other values. */
export const errorName = (error: unknown): string => (error instanceof Error ? error.name : 'unknown');
