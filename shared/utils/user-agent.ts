/**
 * The name of the bot in requests to servers of others. Some refuse requests without a name: Wikimedia ("User-Agent policy"), GitHub, and firewalls such as
 * the common rules of AWS WAF (`NoUserAgent_HEADER`).
 */
export const USER_AGENT = 'Parley/0.1 (bot)';
