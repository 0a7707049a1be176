/** A Postgres on disk, in a process of its own: PGlite behind the protocol of Postgres. */
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

const { PORT, FOLDER } = process.env;
const db = await PGlite.create(FOLDER);
const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: Number(PORT), maxConnections: 20 });
await server.start();
console.log('listening');
