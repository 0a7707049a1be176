import { discordEventsConfig } from '../shared/runtime/config/front-config.ts';
import { discordInstalls, discordInstallsDeps } from './composition/discord/webhook-events.ts';

/** `POST /discord/events`: Discord's webhook events about installs and removals of the app. */
export const handler = discordInstalls(discordInstallsDeps(discordEventsConfig()));
