/** The part of dynalite that is used here; the package has no types of its own. */
declare module 'dynalite' {
  import type { Server } from 'node:http';
  function dynalite(options: {
    path?: string;
    createTableMs?: number;
    deleteTableMs?: number;
    updateTableMs?: number;
  }): Server;
  export default dynalite;
}
