import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { randomUUID } from "node:crypto";

export interface Session {
  readonly id: string;
  readonly userId: number;
  expiresAt: Date;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const SESSION_MINUTES = 30;

export class SessionStore {
  private readonly sessions = new Map<string, Session>();

  constructor(private readonly now: () => Date = () => new Date()) {}

  open(userId: number): Session {
    const expiresAt = new Date(this.now().getTime() + SESSION_MINUTES * 60_000);
    const session: Session = { id: randomUUID(), userId, expiresAt };
    this.sessions.set(session.id, session);
    return session;
  }

  find(id: string | undefined): Session | null {
    if (id === undefined) {
      return null;
    }
    const session = this.sessions.get(id);
    if (!session || session.expiresAt <= this.now()) {
      this.sessions.delete(id);
      return null;
    }
    return session;
  }
}

function cookies(request: IncomingMessage): Record<string, string> {
  const header = request.headers.cookie ?? "";
  return Object.fromEntries(
    header
      .split(";")
      .map((pair) => pair.trim().split("=", 2))
      .filter((pair): pair is [string, string] => pair.length === 2),
  );
}

export function withSession(store: SessionStore, next: Handler): Handler {
  return async (request, response) => {
    const session = store.find(cookies(request)["sid"]);
    if (!session) {
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: "not signed in" }));
      return;
    }
    await next(request, response);
  };
}

export const server = createServer((request, response) => {
  void withSession(new SessionStore(), async (_request, answer) => {
    answer.end("ok");
  })(request, response);
});
