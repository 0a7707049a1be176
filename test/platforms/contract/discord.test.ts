import { contract } from './contract.ts';
import { side, onDiscord } from '../discord/on-discord.ts';

onDiscord({ insistOnUserAgent: true });

contract('Discord', () => side, {
  message: 2_000,
  messages: 5,
  // Discord returns the last messages of a thread first.
  missing: 'older',
  // The bot receives no reactions, learns of deletions by events only, and gets complete metadata of files.
  lacks: ['findMessage', 'isDeleted', 'resolveFile'],
});
