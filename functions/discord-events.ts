import { readDiscordEventsConfig } from '../shared/runtime/index.ts';
import { createDiscordEventHandler, createDiscordEventDeps } from './composition/discord/index.ts';

/** `POST /discord/events`: Discord's webhook events about installs and removals of the app. */
export const handler = createDiscordEventHandler(createDiscordEventDeps(readDiscordEventsConfig()));
