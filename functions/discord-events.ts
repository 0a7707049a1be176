import { discordEventsConfig } from '../shared/runtime/config/front-config.ts';
import { discordInstalls, discordInstallsDeps } from './composition/discord/webhook-events.ts';

/** `POST /discord/events`: who took the app on, and who removed it. */
export const handler = discordInstalls(discordInstallsDeps(discordEventsConfig()));
