export { buildDiscordCommands } from './discord-commands.ts';
