import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { ROUTES } from '../../../shared/runtime/index.ts';

/** URLs to enter in the settings of the apps: output name, description, route. */
const URL_OUTPUTS = [
  [
    'DiscordInteractionsUrl',
    'Interactions endpoint URL of the Discord application',
    ROUTES.discordInteractions,
  ],
  ['DiscordEventsUrl', 'Webhook events endpoint URL of the Discord application', ROUTES.discordEvents],
  [
    'SlackEventsUrl',
    'Request URL of the Slack app, for its events, interactivity and slash command',
    ROUTES.slackEvents,
  ],
] as const;

/** Outputs the URLs to enter in the settings of the apps. `base` is the URL of the API. */
export function addUrlOutputs(stack: Stack, base: string): void {
  for (const [id, description, route] of URL_OUTPUTS) {
    new CfnOutput(stack, id, { description, value: `${base}${route}` });
  }
}
