/** As people know them. */
export const PLATFORM_NAMES = { slack: 'Slack', discord: 'Discord' } as const;
