import { contract } from './contract.ts';
import { side, onDiscord } from '../discord/on-discord.ts';

onDiscord({ insistOnUserAgent: true });

contract('Discord', () => side, { message: 2_000, messages: 5 });
