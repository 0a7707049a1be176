import { discordFrontConfig } from '../shared/runtime/config/front-config.ts';
import { discordFront, discordFrontDeps } from './composition/discord/discord-front.ts';

/** `POST /discord/interactions`: commands, buttons, modals, autocomplete. */
export const handler = discordFront(discordFrontDeps(discordFrontConfig()));
