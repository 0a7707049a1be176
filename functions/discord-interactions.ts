import { readDiscordFrontConfig } from '../shared/runtime/index.ts';
import { createDiscordFront, createDiscordFrontDeps } from './composition/discord/index.ts';

/** `POST /discord/interactions`: commands, buttons, modals, autocomplete. */
export const handler = createDiscordFront(createDiscordFrontDeps(readDiscordFrontConfig()));
