/** Display names of the platforms. */
export const PLATFORM_NAMES = { slack: 'Slack', discord: 'Discord' } as const;
