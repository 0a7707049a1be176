import type { App } from '@slack/bolt';

/**
 * Options of menus that load them while people type (`external_select`). The app makes no such menu; an empty list keeps
 * Slack from showing an error in one that another version of it made.
 */
export function registerOptions(app: Pick<App, 'options'>): void {
  app.options(/^(?:card:|parley:)/, async ({ ack }) => ack({ options: [] }));
}
