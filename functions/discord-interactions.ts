import { discordFrontConfig } from '../shared/runtime/index.ts';
import { discordFront, discordFrontDeps } from './composition/discord/index.ts';

/** `POST /discord/interactions`: commands, buttons, modals, autocomplete. */
export const handler = discordFront(discordFrontDeps(discordFrontConfig()));
