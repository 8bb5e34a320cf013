/*
 * A program with no nfs4 names of its own takes the RFC's from names.h.
 */
#include <readplus/rpc.h>
#include <readplus/names.h>

int main(void)
{
    char bytes[] = "data";
    read_plus_content content = {.rpc_content = NFS4_CONTENT_DATA};
    READ_PLUS4res res = {.rp_status = NFS4_OK};

    content.read_plus_content_u.rpc_data =
        (data4){.d_offset = 0, .d_data = {4, bytes}};
    res.READ_PLUS4res_u.rp_resok4 =
        (read_plus_res4){.rpr_eof = TRUE, .rpr_contents = {1, &content}};
    return xdr_sizeof((xdrproc_t)xdr_READ_PLUS4res, &res) == 32 ? 0 : 1;
}
