/** The bot on the Chat SDK with a durable state: it reads POSTGRES_URL itself. */
import { createPostgresState } from '@chat-adapter/state-pg';
import { serve } from './chat-sdk-bot.js';

serve(createPostgresState());
