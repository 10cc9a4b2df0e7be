# Meguri with accounts: everything that it writes is in /data, and the rest can be read-only. See docs/deploy.md.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY scripts ./scripts
RUN node scripts/bootstrap.mjs
COPY . .
RUN node scripts/bootstrap.mjs --build && rm -rf .next/cache

FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# The image brings its Node itself.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && rm -rf node_modules/node-* node_modules/.bin/node

FROM node:24-slim
WORKDIR /app
RUN mkdir -m 700 /data && chown node:node /data
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/.next ./.next
COPY package.json package-lock.json next.config.ts tsconfig.json tsconfig.base.json ./
COPY README.md CONTRIBUTING.md CHANGELOG.md LICENSE mcp-servers.json ./
COPY agents ./agents
COPY docs ./docs
COPY lib ./lib
COPY public ./public
COPY sandbox ./sandbox
COPY scripts ./scripts
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 APP_PORT=3001 AUTH=accounts \
    DATA_DIR=/data MCP_CONFIG=/data/mcp-servers.json AGENTS_DIR=/data/agents SKILLS_DIR=/data/skills \
    MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
USER node
VOLUME /data
EXPOSE 3000 3001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "scripts/container.mjs"]
