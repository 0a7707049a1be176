import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { ROUTES } from '../../../shared/runtime/shared-names.ts';

/** What is entered in the settings of an app: the name of the output, what it is, its route. */
const ENTERED = [
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

/** Tells the addresses that are entered in the settings of the apps; `base` is where the API is reached. */
export function tellAddresses(stack: Stack, base: string): void {
  for (const [id, description, route] of ENTERED) {
    new CfnOutput(stack, id, { description, value: `${base}${route}` });
  }
}
