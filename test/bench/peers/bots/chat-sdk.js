/** The bot on the Chat SDK with its state in memory. */
import { createMemoryState } from '@chat-adapter/state-memory';
import { serve } from './chat-sdk-bot.js';

serve(createMemoryState());
