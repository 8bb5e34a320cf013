/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sessions: CREATE_SESSION, DESTROY_SESSION and finding one by its id.  What a
 * slot remembers is in compound_session.c.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "clients.h"
#include "put.h"

/* A session id: the boot, the place in the table, eight bytes nobody guesses. */
static bool new_id(const struct server *server, uint32_t place,
                   uint8_t id[NFS4_SESSIONID_SIZE])
{
    put_store32(id, server->boot);
    put_store32(id + 4, place);
    return getrandom(id + 8, NFS4_SESSIONID_SIZE - 8, 0) ==
           NFS4_SESSIONID_SIZE - 8;
}

struct session *sessions_find(struct server *server, const sessionid4 id)
{
    uint32_t place = put_load32((const uint8_t *)id + 4);
    struct session *session;

    if (place >= MAX_SESSIONS)
        return NULL;
    session = server->clients->sessions[place];
    if (session == NULL || memcmp(session->id, id, sizeof(session->id)) != 0)
        return NULL;
    return session;
}

static void drop(struct server *server, struct session *session)
{
    size_t i;

    server->clients->sessions[put_load32(session->id + 4)] = NULL;
    server->clients->sessions_count--;
    session->client->sessions--;
    for (i = 0; i < MAX_SLOTS; i++)
        free(session->slots[i].reply);
    free(session);
}

nfsstat4 sessions_destroy(struct server *server, const sessionid4 id)
{
    struct session *session = sessions_find(server, id);

    if (session == NULL)
        return NFS4ERR_BADSESSION;
    drop(server, session);
    return NFS4_OK;
}

void sessions_forget(struct server *server, const struct client *client)
{
    uint32_t i;

    for (i = 0; i < MAX_SESSIONS; i++) {
        struct session *session = server->clients->sessions[i];

        if (session != NULL && session->client == client)
            drop(server, session);
    }
}

static uint32_t at_most(uint32_t asked, uint32_t limit)
{
    return asked < limit ? asked : limit;
}

/* What the server allows of what was asked for. */
static nfsstat4 negotiate(const struct server *server,
                          const channel_attrs4 *asked, channel_attrs4 *given)
{
    if (asked->ca_maxrequestsize < MIN_REQUEST ||
        asked->ca_maxresponsesize < MIN_RESPONSE)
        return NFS4ERR_TOOSMALL;
    if (asked->ca_maxoperations == 0 || asked->ca_maxrequests == 0)
        return NFS4ERR_INVAL;
    memset(given, 0, sizeof(*given));
    given->ca_maxrequestsize = at_most(asked->ca_maxrequestsize, MAX_CALL);
    given->ca_maxresponsesize =
        at_most(asked->ca_maxresponsesize, server_max_response(server));
    given->ca_maxresponsesize_cached =
        at_most(asked->ca_maxresponsesize_cached, MAX_CACHED);
    given->ca_maxoperations = at_most(asked->ca_maxoperations, NFS42_MAX_OPS);
    given->ca_maxrequests = at_most(asked->ca_maxrequests, MAX_SLOTS);
    return NFS4_OK;
}

static struct session *new_session(struct server *server, struct client *client,
                                   const channel_attrs4 *fore)
{
    struct session *session;
    uint32_t place = 0;

    /* In need, a lease is over when it is over. */
    client->renewed = seconds_now();
    if (server->clients->sessions_count == MAX_SESSIONS)
        clients_expire(server, LEASE_SECONDS);
    while (place < MAX_SESSIONS && server->clients->sessions[place] != NULL)
        place++;
    if (place == MAX_SESSIONS || client->sessions >= MAX_CLIENT_SESSIONS)
        return NULL;
    session = calloc(1, sizeof(*session));
    if (session == NULL || !new_id(server, place, session->id)) {
        free(session);
        return NULL;
    }
    session->client = client;
    session->fore = *fore;
    server->clients->sessions[place] = session;
    server->clients->sessions_count++;
    client->sessions++;
    return session;
}

/* The same client from before its restart: all it had ends now. */
static void confirm(struct server *server, struct client *client)
{
    struct client *old = server->clients->first, *next;

    if (client->confirmed)
        return;
    for (; old != NULL; old = next) {
        next = old->next;
        if (old != client && old->owner_len == client->owner_len &&
            memcmp(old->owner, client->owner, old->owner_len) == 0)
            clients_forget(server, old);
    }
    client->confirmed = true;
}

static nfsstat4 create(struct server *server, struct client *client,
                       const CREATE_SESSION4args *args,
                       CREATE_SESSION4resok *res)
{
    struct session *session;
    channel_attrs4 fore;
    nfsstat4 status;

    status = negotiate(server, &args->csa_fore_chan_attrs, &fore);
    if (status != NFS4_OK)
        return status;
    session = new_session(server, client, &fore);
    if (session == NULL)
        return NFS4ERR_DELAY;
    confirm(server, client);
    memcpy(res->csr_sessionid, session->id, sizeof(session->id));
    res->csr_sequence = args->csa_sequence;
    res->csr_flags = 0; /* not kept, and no callbacks */
    res->csr_fore_chan_attrs = fore;
    res->csr_back_chan_attrs = args->csa_back_chan_attrs;
    res->csr_back_chan_attrs.ca_rdma_ird.ca_rdma_ird_len = 0;
    res->csr_back_chan_attrs.ca_rdma_ird.ca_rdma_ird_val = NULL;
    return NFS4_OK;
}

nfsstat4 sessions_create(struct server *server,
                         const struct principal *principal,
                         const CREATE_SESSION4args *args,
                         CREATE_SESSION4res *res)
{
    const uint32_t known_flags = CREATE_SESSION4_FLAG_PERSIST |
                                 CREATE_SESSION4_FLAG_CONN_BACK_CHAN |
                                 CREATE_SESSION4_FLAG_CONN_RDMA;
    struct client *client = clients_find(server, args->csa_clientid);

    if (client == NULL)
        return NFS4ERR_STALE_CLIENTID;
    if (client->answered && args->csa_sequence == client->sequence - 1) {
        *res = client->answer;
        return res->csr_status;
    }
    if (args->csa_sequence != client->sequence)
        return NFS4ERR_SEQ_MISORDERED;
    if (!same_principal(&client->principal, principal))
        return client->confirmed ? NFS4ERR_WRONG_CRED : NFS4ERR_CLID_INUSE;
    if (args->csa_flags & ~known_flags)
        return NFS4ERR_INVAL;
    res->csr_status =
        create(server, client, args, &res->CREATE_SESSION4res_u.csr_resok4);
    client->renewed = seconds_now();
    if (res->csr_status == NFS4ERR_DELAY)
        return NFS4ERR_DELAY; /* to be asked again, not told again */
    client->sequence++;
    client->answered = true;
    client->answer = *res;
    return res->csr_status;
}
