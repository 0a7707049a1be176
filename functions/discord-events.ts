import { discordEventsConfig } from '../shared/runtime/index.ts';
import { discordInstalls, discordInstallsDeps } from './composition/discord/index.ts';

/** `POST /discord/events`: Discord's webhook events about installs and removals of the app. */
export const handler = discordInstalls(discordInstallsDeps(discordEventsConfig()));
