import { discordEventsConfig } from '../shared/runtime/front-config.ts';
import { discordInstalls, discordInstallsDeps } from './discord-installs.ts';

/** `POST /discord/events`: who took the app on, and who removed it. */
export const handler = discordInstalls(discordInstallsDeps(discordEventsConfig()));
