const ABSENT = './infra/absent/package.ts';

/**
 * What the bundle of `slack-events` leaves out. Bolt's app loads its own receivers for HTTP and for socket mode, and a
 * client for Slack; the front has a receiver of its own and no token to call Slack with. With all of them the bundle is
 * twelve times as large and starts three times as late.
 */
export const SLACK_FRONT_ALIAS: Readonly<Record<string, string>> = {
  '@slack/oauth': ABSENT,
  '@slack/socket-mode': ABSENT,
  '@slack/web-api': './infra/absent/slack-web-api.ts',
  'path-to-regexp': ABSENT,
  'raw-body': ABSENT,
};
