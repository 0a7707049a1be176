import { discordFrontConfig } from '../shared/runtime/front-config.ts';
import { discordFront, discordFrontDeps } from './discord-front.ts';

/** `POST /discord/interactions`: commands, buttons, forms. */
export const handler = discordFront(discordFrontDeps(discordFrontConfig()));
