import { FILES } from '../../shared/commands/index.ts';
import { buildDiscordCommands } from './discord-commands.ts';

// Prints the Discord commands as JSON, for the build of the local system.
process.stdout.write(JSON.stringify(buildDiscordCommands(FILES)));
